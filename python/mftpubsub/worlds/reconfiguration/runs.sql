-- The metrics of each run (C V-B and V-C); costs are in SUBs over one hop. Runs in Spark and in DuckDB.
-- What clients' own (un)subscriptions cost, and EVENTs, is in no `cost` record: no reconfiguration caused them.
WITH sums AS (
    SELECT series, x, protocol, seed,
           count(CASE WHEN record = 'involved' THEN 1 END) AS reconfigurations,
           max(CASE WHEN record = 'dispatchers' THEN value END) AS dispatchers,
           coalesce(sum(CASE WHEN record = 'cost' THEN value END), 0) AS total_cost,
           sum(CASE WHEN record = 'involved' THEN value END) AS total_involved,
           sum(CASE WHEN record = 'event_hops' THEN value END) AS event_hops,
           sum(CASE WHEN record = 'good_event_hops' THEN value END) AS goodput,
           sum(CASE WHEN record = 'faults' THEN value END) AS faults,
           sum(CASE WHEN record = 'expected' THEN value END) AS expected,
           sum(CASE WHEN record = 'delivered' THEN value END) AS delivered,
           coalesce(sum(CASE WHEN record = 'traffic' THEN value END), 0) AS total_traffic
    FROM records
    GROUP BY series, x, protocol, seed
)
SELECT series, x, protocol, seed,
       -- of one reconfiguration, without events
       total_cost / reconfigurations AS cost,
       -- hops of event copies that led to nobody interested, per reconfiguration
       (event_hops - goodput) / reconfigurations AS misrouted,
       (total_cost + event_hops - goodput) / reconfigurations AS overhead,
       -- of the whole run
       total_cost + event_hops - goodput AS total_overhead,
       goodput,
       total_traffic,
       -- share of what matches that reached the core's subscribers; NULL without events
       delivered / nullif(expected, 0) AS delivery,
       -- share of the dispatchers, mean over the reconfigurations
       total_involved / reconfigurations / dispatchers AS involved,
       reconfigurations,
       -- tables not as from scratch at the end, and the like: must be 0
       faults
FROM sums
