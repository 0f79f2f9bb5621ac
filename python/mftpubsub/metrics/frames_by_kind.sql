-- Frames put on the air in each run of the view `trace`, by what they carry, and their bytes there.
SELECT protocol, config, speed_mps, seed, kind, count(*) AS frames, CAST(sum(bytes) AS BIGINT) AS bytes
FROM trace
WHERE layer = 'radio' AND op = 't'
GROUP BY protocol, config, speed_mps, seed, kind
ORDER BY protocol, config, speed_mps, seed, kind
