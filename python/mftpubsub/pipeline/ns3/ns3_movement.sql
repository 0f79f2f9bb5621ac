-- Lines of a trace of mobility (`lines`, one column `line`) to rows of the table ns3_movement; `time_s` is NULL where a
-- line is none. ns-3 prints times in the unit of its resolution.
WITH found AS (
    SELECT regexp_extract(
        line,
        '^now=\+?([0-9.e+-]+?)(s|ms|us|ns|ps|fs) node=(\d+) pos=([0-9.e+-]+):([0-9.e+-]+):([0-9.e+-]+) vel=([0-9.e+-]+):([0-9.e+-]+):([0-9.e+-]+)$',
        ['now', 'unit', 'node', 'x', 'y', 'z', 'vx', 'vy', 'vz']
    ) AS f
    FROM lines
)
SELECT
    CASE WHEN TRY_CAST(f.vz AS DOUBLE) + TRY_CAST(f.node AS INTEGER) IS NOT NULL THEN
        TRY_CAST(f.now AS DOUBLE) * CASE f.unit
            WHEN 's' THEN 1 WHEN 'ms' THEN 1e-3 WHEN 'us' THEN 1e-6 WHEN 'ns' THEN 1e-9 WHEN 'ps' THEN 1e-12 ELSE 1e-15
        END
    END AS time_s,
    TRY_CAST(f.node AS INTEGER) AS node,
    TRY_CAST(f.x AS DOUBLE) AS x_m,
    TRY_CAST(f.y AS DOUBLE) AS y_m,
    TRY_CAST(f.z AS DOUBLE) AS z_m,
    TRY_CAST(f.vx AS DOUBLE) AS vx_mps,
    TRY_CAST(f.vy AS DOUBLE) AS vy_mps,
    TRY_CAST(f.vz AS DOUBLE) AS vz_mps
FROM found
