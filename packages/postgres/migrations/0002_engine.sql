-- 0002_engine.sql  The tables of the engine (DESIGN §2, ADR 0002). New tables only: no lock on anything that exists.
-- Primary keys start with the id that statements look up and end with the tenant, so that one index serves both.

-- One row per process incarnation; the fence. No second index: heartbeats must stay HOT and must not touch a unique key.
create table node (
  id         uuid primary key,
  name       text not null,
  version    text not null,
  application text,
  started_at timestamptz not null default clock_timestamp(),
  beat       bigint not null default 0,
  beat_at    timestamptz not null default clock_timestamp(),
  doomed     boolean not null default false
) with (fillfactor = 50);

create table definition (
  id         text not null,
  tenant     text not null,
  kind       text not null check (kind in ('graph', 'function')),
  name       text not null,
  draft      json,
  revision   integer not null default 1,
  published  integer,
  latest     integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (id, tenant)
);

-- Immutable. The hash is that of the canonical document.
create table definition_version (
  id           text not null,
  version      integer not null,
  tenant       text not null,
  hash         text not null,
  document     json,
  published_at timestamptz not null default clock_timestamp(),
  primary key (id, version, tenant)
);

-- One row per run. What changes stands in columns without an index, so that its few updates are HOT: half of each page is left for them. Input and output are facts of the journal.
create table instance (
  id             uuid not null,
  tenant         text not null,
  definition_id  text not null,
  version        integer not null,
  correlation_id text,
  dedupe_key     text,
  parent_id      uuid,
  parent_step    text,
  queue          text not null,
  created_at     timestamptz not null,
  status         text not null,
  finished_at    timestamptz,
  last_seq       integer not null default 1,
  claim_no       integer not null default 0,
  snapshot_seq   integer not null default 0,
  snapshot_at    timestamptz,
  snapshot       json,
  primary key (id, tenant)
) with (fillfactor = 50);
create unique index instance_dedupe on instance (tenant, definition_id, dedupe_key) where dedupe_key is not null;
create index instance_correlation on instance (tenant, correlation_id) where correlation_id is not null;
create index instance_parent on instance (parent_id) where parent_id is not null;

-- One row per instance that has something to do. Rows born claimed never enter the partial index.
create table agenda (
  instance_id uuid not null,
  tenant      text not null,
  queue       text not null,
  priority    smallint not null default 0,
  due_at      timestamptz not null,
  claimed_by  uuid references node (id) on delete set null,
  claim_no    integer not null default 0,
  crashes     smallint not null default 0,
  stim        integer not null default 0,
  primary key (instance_id, tenant)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index agenda_due on agenda (queue, due_at) where claimed_by is null;

-- Append-only. `pos` is the transaction's id times 2^20 plus the place in it: below pg_snapshot_xmin it is the order of commits.
create table journal (
  instance_id uuid not null,
  seq         integer not null,
  claim_no    integer not null,
  pos         bigint not null,
  at          timestamptz not null,
  node_id     uuid not null,
  tenant      text not null,
  kind        text not null,
  data        json not null,
  primary key (instance_id, seq, tenant)
);
-- Positions grow with the table: a few bytes per 32 pages instead of an entry per fact.
create index journal_pos on journal using brin (pos) with (pages_per_range = 32, autosummarize = on);

create table inbox (
  instance_id uuid not null,
  id          bigint generated always as identity,
  tenant      text not null,
  kind        text not null,
  bookmark_id uuid,
  name        text,
  step        text,
  payload     json,
  dedupe_key  text,
  at          timestamptz not null default clock_timestamp(),
  primary key (instance_id, id, tenant)
);
create unique index inbox_dedupe on inbox (tenant, instance_id, dedupe_key) where dedupe_key is not null;

create table bookmark (
  id             uuid not null,
  tenant         text not null,
  instance_id    uuid not null,
  step           text not null,
  kind           text not null,
  name           text not null,
  correlation_id text,
  hash           text not null,
  token_hash     text,
  expires_at     timestamptz,
  created_at     timestamptz not null,
  primary key (id, tenant)
);
create unique index bookmark_hash on bookmark (instance_id, hash, tenant);
create unique index bookmark_token on bookmark (token_hash, tenant) where token_hash is not null;
create index bookmark_match on bookmark (tenant, kind, name, correlation_id);

create table event (
  id             uuid not null,
  tenant         text not null,
  name           text not null,
  correlation_id text,
  payload        json,
  published_at   timestamptz not null default clock_timestamp(),
  expires_at     timestamptz not null,
  matched        integer not null default 0,
  settle_after   bigint,
  settled        boolean not null default false,
  primary key (id, tenant)
);
create index event_unsettled on event (published_at) where not settled;
create index event_kept on event (tenant, name, published_at) where matched = 0;

-- Whom an event has reached, until it is settled: a later wait of the same instance is for another event.
create table event_delivery (
  event_id    uuid not null,
  instance_id uuid not null,
  tenant      text not null,
  primary key (event_id, instance_id, tenant)
);

create table incident (
  id          uuid not null,
  tenant      text not null,
  instance_id uuid not null,
  step        text,
  fingerprint text not null,
  code        text not null,
  message     text not null,
  opened_at   timestamptz not null,
  resolved_at timestamptz,
  primary key (id, tenant)
);
create index incident_instance on incident (instance_id);

-- One row per committed batch: an unknown outcome is resolved by sending the batch again. No foreign key: it outlives its node.
create table flush (
  node_id    uuid not null,
  n          bigint not null,
  at         timestamptz not null,
  lost       integer[],
  stimulated integer[],
  primary key (node_id, n)
);
