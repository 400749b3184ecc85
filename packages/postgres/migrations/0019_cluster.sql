-- 0019_cluster.sql  Roles, orders and reports of nodes, and what happened in the cluster (DESIGN §5). Columns with constant defaults and
-- a new table: a brief lock on `node`, which is small. Nodes that do not know the columns go on as they were.
-- compatible-from: 0017

-- `wanted` is what operators want of the node, `state` what it says of itself; `suspected` the beat at which somebody missed it last.
-- None of them has an index: heartbeats must stay HOT.
alter table node
  add column roles     text[] not null default '{api,worker,scheduler}',
  add column capacity  integer not null default 0,
  add column held      integer not null default 0,
  add column wanted    text not null default 'active' check (wanted in ('active', 'cordoned', 'drained')),
  add column state     text not null default 'active' check (state in ('active', 'cordoned', 'draining', 'drained')),
  add column skew_ms   float8,
  add column suspected bigint;

-- `pos` is made as that of the journal: the transaction's id times 2^20 plus a place in it. Below pg_snapshot_xmin it is the order of commits.
create sequence cluster_event_place;
create table cluster_event (
  pos     bigint primary key default ((pg_current_xact_id()::text::bigint << 20) | (nextval('cluster_event_place') & 1048575)),
  at      timestamptz not null default clock_timestamp(),
  kind    text not null,
  node_id uuid not null,
  name    text not null,
  detail  jsonb not null
);

-- Writes an event down. Every 64th takes old ones away, so that the table stays small whoever writes into it.
create function lockstep_cluster_event(p_kind text, p_node uuid, p_name text, p_detail jsonb) returns bigint
language plpgsql
as $$
declare
  v_pos bigint;
begin
  insert into cluster_event (kind, node_id, name, detail) values (p_kind, p_node, p_name, p_detail) returning pos into v_pos;
  if v_pos & 63 = 0 then
    delete from cluster_event e
     where e.pos <= (select x.pos from cluster_event x order by x.pos desc offset 10000 limit 1)
        or e.at < clock_timestamp() - interval '30 days';
  end if;
  return v_pos;
end $$;
