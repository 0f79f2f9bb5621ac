-- Frames put on the air in each run of the view `trace`, by what they carry.
SELECT protocol, config, speed_mps, seed, kind, count(*) AS frames
FROM trace
WHERE layer = 'radio' AND op = 't'
GROUP BY protocol, config, speed_mps, seed, kind
ORDER BY protocol, config, speed_mps, seed, kind
