-- 0045_metrics_by_definition.sql  What instances came to by workflow, beside the sums of all: throughput, failures and durations can be told apart.
-- compatible-from: 0017
-- Lock: brief, a column without a default. Nodes of before neither write nor read it; where one of them sums rows up, its slots are told for all workflows together.

-- { "tenant/definition": { name: sum } }, a few workflows in each row, and under "" what the others came to.
alter table metric_reading add column by_definition jsonb;
