-- 0001_base.sql  Facts about the whole cluster that every node must agree on, such as its id and its secret. One small table.
create table setting (
  key        text primary key,
  value      jsonb not null,
  updated_at timestamptz not null default now()
);
