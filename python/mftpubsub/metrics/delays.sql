-- How long it took in each run of the view `trace`, counted in bins of a logarithmic scale, 50 a decade: bin b is
-- up to 10^(b/50) s. A row without a bin counts what never arrived. There are three units:
-- PAIR, a sent (event, subscriber), by its delay; EVENT, by the delay of the last of its sent pairs, none if one
-- was not delivered; SUBSCRIBER, by the mean delay of what it got.
WITH publications AS (
    SELECT protocol, config, speed_mps, seed, publisher, sequence, min(time_s) AS published_s
    FROM trace
    WHERE layer = 'app' AND kind = 'PUBLISH'
    GROUP BY protocol, config, speed_mps, seed, publisher, sequence
),
pairs AS (
    SELECT
        protocol, config, speed_mps, seed, publisher, sequence, subscriber,
        min(time_s) FILTER (WHERE kind = 'DELIVER') AS delivered_s
    FROM trace
    WHERE layer = 'app' AND kind IN ('SEND', 'DELIVER')
    GROUP BY protocol, config, speed_mps, seed, publisher, sequence, subscriber
    HAVING max(CASE WHEN kind = 'SEND' THEN 1 ELSE 0 END) = 1
),
delays AS (
    SELECT
        protocol, config, speed_mps, seed, publisher, sequence, subscriber,
        -- whole ns, the simulator's unit
        CAST(round((delivered_s - published_s) * 1e9) AS BIGINT) AS delay
    FROM pairs
    LEFT JOIN publications USING (protocol, config, speed_mps, seed, publisher, sequence)
),
units AS (
    SELECT protocol, config, speed_mps, seed, 'PAIR' AS unit, CAST(delay AS DOUBLE) AS delay
    FROM delays
    UNION ALL
    SELECT
        protocol, config, speed_mps, seed, 'EVENT' AS unit,
        CASE WHEN count(delay) = count(*) THEN CAST(max(delay) AS DOUBLE) END AS delay
    FROM delays
    GROUP BY protocol, config, speed_mps, seed, publisher, sequence
    UNION ALL
    SELECT
        protocol, config, speed_mps, seed, 'SUBSCRIBER' AS unit,
        CAST(sum(delay) AS DOUBLE) / nullif(count(delay), 0) AS delay
    FROM delays
    GROUP BY protocol, config, speed_mps, seed, subscriber
),
bins AS (
    SELECT
        protocol, config, speed_mps, seed, unit,
        -- greatest() would take what never arrived for the shortest delay
        CAST(ceil(50 * log10(CASE WHEN delay < 1e3 THEN 1e3 ELSE delay END / 1e9)) AS BIGINT) AS bin
    FROM units
)
SELECT protocol, config, speed_mps, seed, unit, bin, count(*) AS units
FROM bins
GROUP BY protocol, config, speed_mps, seed, unit, bin
ORDER BY protocol, config, speed_mps, seed, unit, bin
