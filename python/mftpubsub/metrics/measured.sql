-- The records of `everything` that metrics are of. All but those of a warm-up (the record WARM): of an event whether
-- it was published before, of all else whether it happened before. $keys name a run.
WITH warm AS (
    SELECT $keys, max(time_s) AS warm_s
    FROM everything
    WHERE layer = 'run' AND kind = 'WARM'
    GROUP BY $keys
),
early AS (
    SELECT $keys, publisher, sequence
    FROM everything
    JOIN warm USING ($keys)
    WHERE layer = 'app' AND kind = 'PUBLISH' AND time_s < warm_s
)
SELECT everything.*
FROM everything
LEFT JOIN warm USING ($keys)
ANTI JOIN early USING ($keys, publisher, sequence)
WHERE warm_s IS NULL OR publisher IS NOT NULL OR time_s >= warm_s OR layer = 'node'
