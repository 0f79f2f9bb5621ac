-- What one reconfiguration makes dispatchers send, by kind: hops, those of messages with patterns, cost.
WITH counts AS (
    SELECT series, x, protocol, seed, count(*) AS reconfigurations
    FROM records WHERE record = 'involved'
    GROUP BY series, x, protocol, seed
)
SELECT r.series, r.x, r.protocol, r.seed, r.of AS kind,
       sum(CASE WHEN r.record = 'hops' THEN r.value END) / max(c.reconfigurations) AS hops,
       sum(CASE WHEN r.record = 'telling_hops' THEN r.value END) / max(c.reconfigurations)
           AS telling_hops,
       sum(CASE WHEN r.record = 'cost' THEN r.value END) / max(c.reconfigurations) AS cost
FROM records r JOIN counts c
  ON r.series = c.series AND r.x = c.x AND r.protocol = c.protocol AND r.seed = c.seed
WHERE r.record IN ('hops', 'telling_hops', 'cost')
GROUP BY r.series, r.x, r.protocol, r.seed, r.of
