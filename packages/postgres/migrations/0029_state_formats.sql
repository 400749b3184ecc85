-- 0029_state_formats.sql  Nodes say which formats of state they know, and are handed no others (P9). A column with a constant default: a brief lock on `node`, which is small.
-- compatible-from: 0017
-- Nodes of before do not say it and count as 1; they call the functions below as they did, so that what they cannot read is kept from them too.
alter table node add column state_format smallint not null default 1;

-- Of these, what a node can go on with: the first fact of a journal names its format where it is not 1. By primary key. Who knows the newest format is
-- not asked: while all nodes are of one version this costs nothing.
create function lockstep_readable(p_ids uuid[], p_format integer) returns uuid[]
language sql stable set enable_seqscan = off as $$
  select array(
    select w.id from unnest(p_ids) with ordinality as w(id, n)
     where not exists (select 1 from journal j where j.instance_id = w.id and j.seq = 1 and (j.data ->> 'format')::integer > p_format)
     order by w.n)
$$;

-- As in 0014, for nodes of before 0023.
create or replace function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8, p_after text)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json, ring text)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_from timestamptz := coalesce(v_now - p_floor * interval '1 millisecond', '-infinity');
  v_to timestamptz := v_now + p_ahead * interval '1 millisecond';
  v_ids uuid[] := lockstep_lock_due(p_queues, false, v_from, v_now, p_limit);
  v_new uuid[];
  v_ring text := p_after;
  v_format smallint;
begin
  if cardinality(v_ids) < p_limit then
    select n.ids, n.ring into v_new, v_ring from lockstep_lock_new(p_queues, p_after, v_from, v_now, p_limit - cardinality(v_ids)) n;
    v_ids := v_ids || v_new;
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    v_ids := v_ids || lockstep_lock_due(p_queues, false, v_now, v_to, p_limit - cardinality(v_ids));
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    select n.ids into v_new from lockstep_lock_new(p_queues, p_after, v_now, v_to, p_limit - cardinality(v_ids)) n;
    v_ids := v_ids || v_new;
  end if;
  if cardinality(v_ids) = 0 then
    return;
  end if;
  select n.state_format into v_format from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  if v_format < 2 then
    v_ids := lockstep_readable(v_ids, v_format);
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.instance_id = any (v_ids)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              -- The rows were locked before this statement's snapshot: what their counters count is in it.
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end,
              case when a.instance_id = v_ids[1] then v_ring end;
end $$;

-- As in 0023.
create or replace function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8, p_after text, p_new integer)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json, ring text)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_from timestamptz := coalesce(v_now - p_floor * interval '1 millisecond', '-infinity');
  v_to timestamptz := v_now + p_ahead * interval '1 millisecond';
  v_ids uuid[] := lockstep_lock_due(p_queues, false, v_from, v_now, p_limit);
  v_new uuid[];
  v_left integer := p_new;
  v_ring text := p_after;
  v_format smallint;
begin
  if cardinality(v_ids) < p_limit and v_left > 0 then
    select n.ids, n.ring into v_new, v_ring from lockstep_lock_new(p_queues, p_after, v_from, v_now, least(v_left, p_limit - cardinality(v_ids))) n;
    v_ids := v_ids || v_new;
    v_left := v_left - cardinality(v_new);
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    v_ids := v_ids || lockstep_lock_due(p_queues, false, v_now, v_to, p_limit - cardinality(v_ids));
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 and v_left > 0 then
    select n.ids into v_new from lockstep_lock_new(p_queues, p_after, v_now, v_to, least(v_left, p_limit - cardinality(v_ids))) n;
    v_ids := v_ids || v_new;
  end if;
  if cardinality(v_ids) = 0 then
    return;
  end if;
  select n.state_format into v_format from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  if v_format < 2 then
    v_ids := lockstep_readable(v_ids, v_format);
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.instance_id = any (v_ids)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              -- The rows were locked before this statement's snapshot: what their counters count is in it.
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end,
              case when a.instance_id = v_ids[1] then v_ring end;
end $$;

-- As in 0018.
create or replace function lockstep_take(p_node uuid, p_queues text[], p_ids uuid[])
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_ids uuid[] := array(select a.instance_id from agenda a where a.instance_id = any (p_ids) and a.claimed_by is null and a.queue = any (p_queues)
                           and a.due_at <= (select clock_timestamp()) order by a.instance_id for update);
  v_format smallint;
begin
  if cardinality(v_ids) = 0 then
    return;
  end if;
  -- Without waiting: a burial of this node may hold its row, and wait for an instance that was told something here.
  select n.state_format into v_format from node n where n.id = p_node and not n.doomed for key share skip locked;
  if not found then
    return;
  end if;
  if v_format < 2 then
    v_ids := lockstep_readable(v_ids, v_format);
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.instance_id = any (v_ids)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end;
end $$;
