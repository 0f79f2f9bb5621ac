-- Pairs that were not delivered in each run of the view `trace`, by cause (trace_schema.yaml): what was
-- sent is what was delivered plus the sum of these.
SELECT protocol, config, speed_mps, seed, kind AS cause, count(*) AS pairs
FROM trace
WHERE layer = 'loss'
GROUP BY protocol, config, speed_mps, seed, kind
ORDER BY protocol, config, speed_mps, seed, cause
