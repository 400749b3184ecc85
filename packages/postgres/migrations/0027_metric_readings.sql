-- 0027_metric_readings.sql  What nodes counted, kept beyond the process that did: a row for each node and minute with work, summed up later (DESIGN §2, `rollup`).
-- compatible-from: 0017
-- Lock: none, the table is new. Nodes of before write nothing here, so their share is missing until they are replaced.

-- `sums` are what came in the slot, by name: rows only ever add up, and any number of them may stand for one slot. Of the cluster, hence without a tenant.
-- `node_id` is null where the rows of several nodes became one. `at` is the beginning of the slot, by the clock of the store.
create table metric_reading (
  id      bigint generated always as identity primary key,
  at      timestamptz not null,
  slot_ms integer not null,
  node_id uuid,
  sums    jsonb not null
);
create index metric_reading_at on metric_reading (at);
