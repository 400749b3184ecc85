/**
 * The least that a durable engine must write: who owns what (node, agenda), what happened (journal), what became of it
 * (instance). One function call per flush, one transaction, the node row as fence, ownership and order checked. There is
 * no interpreter, no API, no retry: whatever runs on PostgreSQL in this shape cannot be faster than this.
 */
export const schema = `
create table node (id uuid primary key, beat bigint not null default 0);
create table instance (
  id uuid primary key, status text not null, created_at timestamptz not null, finished_at timestamptz
) with (fillfactor = 85);
create table agenda (
  instance_id uuid primary key, due_at timestamptz not null, claimed_by uuid references node (id) on delete set null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create table journal (
  instance_id uuid not null, seq integer not null, at timestamptz not null, data json not null, primary key (instance_id, seq)
);

-- Arrays run in parallel, one element per commit of one instance; seq 1 is its start, "ended" its last.
create function bare_flush(p_node uuid, p_id uuid[], p_seq integer[], p_ended boolean[], p_data json) returns float8
language plpgsql
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_at timestamptz;
  v_ended uuid[];
begin
  perform 1 from node n where n.id = p_node for key share;
  if not found then raise exception 'node % is gone', p_node; end if;
  v_at := clock_timestamp();

  insert into instance (id, status, created_at)
  select u.id, 'running', v_at from unnest(p_id, p_seq) as u(id, seq) where u.seq = 1;
  insert into agenda (instance_id, due_at, claimed_by)
  select u.id, v_at, p_node from unnest(p_id, p_seq) as u(id, seq) where u.seq = 1;

  if (select count(*) from agenda a where a.instance_id = any (p_id) and a.claimed_by = p_node) < cardinality(p_id) then
    raise exception 'an instance was lost';
  end if;
  insert into journal (instance_id, seq, at, data)
  select u.id, u.seq, v_at, u.data from rows from (unnest(p_id), unnest(p_seq), json_array_elements(p_data)) as u(id, seq, data);

  v_ended := array(select u.id from unnest(p_id, p_ended) as u(id, ended) where u.ended);
  if cardinality(v_ended) > 0 then
    delete from agenda a where a.instance_id = any (v_ended);
    update instance i set status = 'completed', finished_at = v_at where i.id = any (v_ended);
  end if;
  return extract(epoch from v_at)::float8 * 1000;
end $$;`

export const join = 'insert into node (id) values ($1)'
export const flush = 'select bare_flush($1, $2::uuid[], $3::integer[], $4::boolean[], $5::json) as at'
