-- 0033_dead_letters.sql  What came from outside and can never start its workflow as it stands. A new table only: no lock on anything that exists.
-- compatible-from: 0017

create table dead_letter (
  id             uuid not null,
  tenant         text not null,
  definition_id  text not null,
  source         text not null,
  code           text not null,
  reason         text not null,
  dedupe_key     text,
  correlation_id text,
  arrived_at     timestamptz not null default clock_timestamp(),
  -- What the workflow would have got; `raw` in its place where nobody could read what came.
  input          json,
  raw            bytea,
  primary key (tenant, id),
  check ((input is null) <> (raw is null))
);
-- A message that is handed out twice is one letter.
create unique index dead_letter_once on dead_letter (tenant, definition_id, dedupe_key) where dedupe_key is not null;
create index dead_letter_by_age on dead_letter (arrived_at);
