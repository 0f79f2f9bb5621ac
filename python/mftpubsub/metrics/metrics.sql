-- The metrics of one run, each defined here and nowhere else: one row for each run in the view `trace`
-- (the columns of trace_schema.yaml and the run's keys protocol, config, speed_mps, seed).
-- Of a run with a warm-up the view has what counts (measured.sql).
-- Written in the dialect that Spark SQL and DuckDB share. A share of nothing is NULL.
--
-- A pair is an (event, subscriber); an event is a (publisher, sequence).
WITH of_nodes AS (
    SELECT  -- what happened at no node in particular has a row of its own
        protocol, config, speed_mps, seed, node,
        -- its roles; as numbers, since Spark sorts all records to aggregate strings
        count(*) FILTER (WHERE layer = 'node') AS is_node,
        max(CASE WHEN layer = 'node' AND kind LIKE '%B%' THEN 1 ELSE 0 END) AS is_broker,
        max(CASE WHEN layer = 'node' AND kind LIKE '%S%' THEN 1 ELSE 0 END) AS is_subscriber,
        max(CASE WHEN layer = 'node' AND kind LIKE '%P%' THEN 1 ELSE 0 END) AS is_publisher,
        count(*) FILTER (WHERE layer = 'app' AND kind = 'PUBLISH') AS published,
        count(*) FILTER (WHERE layer = 'app' AND kind = 'DUPLICATE') AS duplicates,
        count(*) FILTER (WHERE layer = 'app' AND kind = 'OVERHEARD') AS overheard,
        count(*) FILTER (WHERE layer = 'tree') AS migrations,
        count(*) FILTER (WHERE layer = 'tree' AND kind = 'BMIG') AS migrations_broker,
        count(*) FILTER (WHERE layer = 'tree' AND kind = 'MIG') AS migrations_client,
        count(*) FILTER (WHERE layer = 'tree' OR (layer = 'attachment' AND kind = 'SILENT')) AS attachments,
        count(*) FILTER (WHERE layer = 'attachment' AND kind = 'AGAIN') AS reattachments,
        count(*) FILTER (WHERE layer = 'radio' AND op = 't') AS frames,
        sum(bytes) FILTER (WHERE layer = 'radio' AND op = 't') AS bytes,
        max(time_s) FILTER (WHERE layer = 'run' AND kind = 'END')
            - coalesce(max(time_s) FILTER (WHERE layer = 'run' AND kind = 'WARM'), 0) AS duration_s,
        count(*) FILTER (WHERE layer = 'radio' AND op = 't' AND kind IN ('ACK', 'ASK')) AS frames_ack,
        -- what a node says only to be known to be there
        count(*) FILTER (WHERE layer = 'radio' AND op = 't' AND kind IN ('HEARTBEAT', 'HELLO')) AS frames_heartbeat,
        -- events on their way, and events replayed from a queue
        count(*) FILTER (WHERE layer = 'radio' AND op = 't' AND kind IN ('PUB', 'DATA')) AS frames_pub,
        count(*) FILTER (WHERE layer = 'radio' AND op = 't' AND kind = 'REP') AS frames_rep,
        -- uJ, whole: a sum of doubles depends on how Spark splits the work
        sum(CASE WHEN layer = 'energy' THEN CAST(kind AS BIGINT) END) AS energy,
        -- thousandths of hops, and of the brokers below the root (a row that is of no node)
        max(CASE WHEN layer = 'depth' THEN CAST(kind AS BIGINT) END) AS depth,
        max(CASE WHEN layer = 'branch' THEN CAST(kind AS BIGINT) END) AS branch
    FROM trace
    GROUP BY protocol, config, speed_mps, seed, node
),
totals AS (
    SELECT
        protocol, config, speed_mps, seed,
        CAST(sum(published) AS BIGINT) AS published,
        CAST(sum(duplicates) AS BIGINT) AS duplicates,
        CAST(sum(overheard) AS BIGINT) AS overheard,
        CAST(sum(migrations) AS BIGINT) AS migrations,
        CAST(sum(migrations_broker) AS BIGINT) AS migrations_broker,
        CAST(sum(migrations_client) AS BIGINT) AS migrations_client,
        CAST(sum(attachments) AS BIGINT) AS attachments,
        CAST(sum(reattachments) AS BIGINT) AS reattachments,
        count(*) FILTER (WHERE is_node > 0) AS nodes,
        CAST(sum(frames) AS BIGINT) AS frames,
        sum(bytes) AS bytes,
        max(duration_s) AS duration_s,
        CAST(sum(frames_ack) AS BIGINT) AS frames_ack,
        CAST(sum(frames_heartbeat) AS BIGINT) AS frames_heartbeat,
        CAST(sum(frames_pub) AS BIGINT) AS frames_pub,
        CAST(sum(frames_rep) AS BIGINT) AS frames_rep,
        -- a node with several roles counts in each of them
        avg(frames) FILTER (WHERE is_broker = 1) AS frames_per_broker,
        avg(frames) FILTER (WHERE is_subscriber = 1) AS frames_per_subscriber,
        avg(frames) FILTER (WHERE is_publisher = 1) AS frames_per_publisher,
        CAST(sum(energy) AS DOUBLE) / 1e6 AS energy_j,
        avg(energy) FILTER (WHERE is_broker = 1) / 1e6 AS energy_per_broker_j,
        avg(energy) FILTER (WHERE is_subscriber = 1) / 1e6 AS energy_per_subscriber_j,
        avg(energy) FILTER (WHERE is_publisher = 1) / 1e6 AS energy_per_publisher_j,
        max(frames) FILTER (WHERE is_broker = 1) AS frames_busiest_broker,
        max(branch) / 1000.0 AS largest_branch,
        -- of Pearson's correlation of brokers' depth and load: whole sums, as above
        CAST(count(depth) AS DOUBLE) AS in_trees,
        CAST(sum(depth) AS DOUBLE) AS sum_depth,
        CAST(sum(CASE WHEN depth IS NOT NULL THEN frames END) AS DOUBLE) AS sum_load,
        CAST(sum(depth * depth) AS DOUBLE) AS sum_depth_2,
        CAST(sum(CASE WHEN depth IS NOT NULL THEN frames * frames END) AS DOUBLE) AS sum_load_2,
        CAST(sum(depth * frames) AS DOUBLE) AS sum_depth_load
    FROM of_nodes
    GROUP BY protocol, config, speed_mps, seed
),
publications AS (
    SELECT protocol, config, speed_mps, seed, publisher, sequence, min(time_s) AS published_s
    FROM trace
    WHERE layer = 'app' AND kind = 'PUBLISH'
    GROUP BY protocol, config, speed_mps, seed, publisher, sequence
),
pairs AS (
    SELECT
        protocol, config, speed_mps, seed, publisher, sequence, subscriber,
        max(CASE WHEN kind = 'MATCH' THEN 1 ELSE 0 END) AS matched,
        max(CASE WHEN kind = 'REACHABLE' THEN 1 ELSE 0 END) AS reachable,
        max(CASE WHEN kind = 'DELIVER' THEN 1 ELSE 0 END) AS delivered,
        min(time_s) FILTER (WHERE kind = 'DELIVER') AS delivered_s,
        min_by(hops, time_s) FILTER (WHERE kind = 'DELIVER') AS hops
    FROM trace
    WHERE layer IN ('app', 'broker', 'bound') AND kind IN ('SEND', 'MATCH', 'REACHABLE', 'DELIVER')
    GROUP BY protocol, config, speed_mps, seed, publisher, sequence, subscriber
    -- what a subscriber gets that did not want it at publication counts nowhere
    HAVING max(CASE WHEN kind = 'SEND' THEN 1 ELSE 0 END) = 1
),
outcomes AS (
    SELECT
        protocol, config, speed_mps, seed,
        count(*) AS sent_pairs,
        sum(matched) AS matched_pairs,
        sum(reachable) AS reachable_pairs,
        sum(delivered) AS delivered_pairs,
        -- a subscriber of mft-mesh may hear an event before any broker has matched it
        sum(matched * delivered) AS matched_delivered_pairs,
        -- summed in whole ns, the simulator's unit: a sum of doubles depends on how Spark splits the work
        CAST(sum(CAST(round((delivered_s - published_s) * 1e9) AS BIGINT)) AS DOUBLE)
            / nullif(count(delivered_s), 0) / 1e9 AS delay_mean_s,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY delivered_s - published_s) AS delay_median_s,
        percentile_cont(0.95) WITHIN GROUP (ORDER BY delivered_s - published_s) AS delay_p95_s,
        percentile_cont(0.99) WITHIN GROUP (ORDER BY delivered_s - published_s) AS delay_p99_s,
        avg(hops) AS hops_mean,
        max(hops) AS hops_max
    FROM pairs
    LEFT JOIN publications USING (protocol, config, speed_mps, seed, publisher, sequence)
    GROUP BY protocol, config, speed_mps, seed
)
SELECT
    protocol, config, speed_mps, seed,
    published,
    CAST(coalesce(sent_pairs, 0) AS BIGINT) AS sent_pairs,
    CAST(coalesce(matched_pairs, 0) AS BIGINT) AS matched_pairs,
    CAST(coalesce(reachable_pairs, 0) AS BIGINT) AS reachable_pairs,
    CAST(coalesce(delivered_pairs, 0) AS BIGINT) AS delivered_pairs,
    -- the thesis's (T 4.5.3): of what some broker matched; under AODV the publisher itself matches
    CAST(matched_delivered_pairs AS DOUBLE) / nullif(matched_pairs, 0) AS delivery_rate,
    -- of all that a subscription asked for when it was published
    CAST(delivered_pairs AS DOUBLE) / nullif(sent_pairs, 0) AS delivery_rate_strict,
    -- of what an ideal epidemic protocol would have delivered
    CAST(delivered_pairs AS DOUBLE) / nullif(reachable_pairs, 0) AS delivered_of_reachable,
    CAST(reachable_pairs AS DOUBLE) / nullif(sent_pairs, 0) AS reachable,
    delay_mean_s, delay_median_s, delay_p95_s, delay_p99_s,
    hops_mean, hops_max,
    nodes, frames,
    -- how many nodes send at a time on average, at the radio's 250 kbit/s
    CAST(coalesce(bytes, 0) AS DOUBLE) * 8 / 250000 / nullif(duration_s, 0) AS senders_mean,
    CAST(frames AS DOUBLE) / nullif(nodes, 0) AS frames_per_node,
    CAST(frames_ack AS DOUBLE) / nullif(nodes, 0) AS frames_per_node_ack,
    CAST(frames_heartbeat AS DOUBLE) / nullif(nodes, 0) AS frames_per_node_heartbeat,
    CAST(frames_pub AS DOUBLE) / nullif(nodes, 0) AS frames_per_node_pub,
    CAST(frames_rep AS DOUBLE) / nullif(nodes, 0) AS frames_per_node_rep,
    CAST(frames - frames_ack - frames_heartbeat - frames_pub - frames_rep AS DOUBLE) / nullif(nodes, 0)
        AS frames_per_node_control,
    frames_per_broker, frames_per_subscriber, frames_per_publisher,
    energy_j / nullif(nodes, 0) AS energy_per_node_j,
    energy_j / nullif(delivered_pairs, 0) AS energy_per_delivery_j,
    energy_per_broker_j, energy_per_subscriber_j, energy_per_publisher_j,
    frames_busiest_broker / nullif(frames_per_broker, 0) AS load_busiest_broker,
    (in_trees * sum_depth_load - sum_depth * sum_load)
        / nullif(sqrt(in_trees * sum_depth_2 - sum_depth * sum_depth), 0)
        / nullif(sqrt(in_trees * sum_load_2 - sum_load * sum_load), 0) AS load_by_depth,
    CAST(largest_branch AS DOUBLE) AS largest_branch,
    migrations, migrations_broker, migrations_client, attachments, reattachments,
    duplicates, overheard
FROM totals
LEFT JOIN outcomes USING (protocol, config, speed_mps, seed)
