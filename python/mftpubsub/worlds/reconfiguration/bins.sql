-- By bins of time (s): (event, core subscriber) that match, those delivered, by the time of publication; and
-- the cost of all messages sent.
SELECT series, x, protocol, seed, CAST(of AS double) AS seconds,
       sum(CASE WHEN record = 'expected' THEN value END) AS expected,
       sum(CASE WHEN record = 'delivered' THEN value END) AS delivered,
       sum(CASE WHEN record = 'traffic' THEN value END) AS traffic
FROM records
WHERE record IN ('expected', 'delivered', 'traffic')
GROUP BY series, x, protocol, seed, of
