-- 0023_parts_and_room.sql  Partial results of running steps: numbered, durable, each once (DESIGN §5). Claims that leave room for what runs already (P10).
-- compatible-from: 0017
-- Lock: instance, briefly, for its trigger. Steps that hand out no parts cost nothing more.

-- `no` counts the parts of the instance, which is the order in which readers get them; `step_no` those of their step, as its code numbers them.
create table step_part (
  tenant      text not null,
  instance_id uuid not null,
  no          integer not null,
  step        text not null,
  step_no     integer not null,
  value       json not null,
  at          timestamptz not null,
  primary key (instance_id, no, tenant)
);
create unique index step_part_step on step_part (instance_id, tenant, step, step_no);

-- Keeps one part. `known`: an earlier attempt has handed out this number already, and its part stays. Whoever calls holds the lock of the instance's parts.
create function lockstep_add_part(p_tenant text, p_instance uuid, p_step text, p_step_no integer, p_value json, p_most integer) returns text
language plpgsql set search_path from current set enable_seqscan = off as $$
declare
  v_last integer;
  v_no integer;
begin
  select coalesce(max(x.step_no), 0) into v_last from step_part x where x.instance_id = p_instance and x.tenant = p_tenant and x.step = p_step;
  if p_step_no <= v_last then
    return 'known';
  end if;
  if p_step_no > v_last + 1 then
    return 'gap';
  end if;
  select coalesce(max(x.no), 0) + 1 into v_no from step_part x where x.instance_id = p_instance and x.tenant = p_tenant;
  if v_no > p_most then
    return 'full';
  end if;
  insert into step_part (tenant, instance_id, no, step, step_no, value, at)
  values (p_tenant, p_instance, v_no, p_step, p_step_no, p_value, clock_timestamp());
  return 'kept';
end $$;

-- Parts of one instance are written one transaction after the other, so that nobody who reads finds a later one first.
create function lockstep_lock_parts(p_instance uuid) returns void
language sql as $$ select pg_advisory_xact_lock(hashtextextended(p_instance::text, 23)) $$;

-- Parts of steps that run on a node, in the caller's order, by instance. `lost`: the node has not got the instance any more.
create function lockstep_add_parts(p_node uuid, p_most integer, p_tenant text[], p_instance uuid[], p_step text[], p_step_no integer[], p_value json[])
returns text[]
language plpgsql set search_path from current set enable_seqscan = off as $$
declare
  v_verdicts text[] := '{}';
  v_before uuid;
  v_mine boolean;
  i integer;
begin
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  for i in 1 .. cardinality(p_instance) loop
    if v_before is distinct from p_instance[i] then
      v_before := p_instance[i];
      perform lockstep_lock_parts(v_before);
      v_mine := exists (select 1 from agenda a where a.instance_id = v_before and a.tenant = p_tenant[i] and a.claimed_by = p_node);
    end if;
    v_verdicts := v_verdicts || case when v_mine
      then lockstep_add_part(p_tenant[i], p_instance[i], p_step[i], p_step_no[i], p_value[i], p_most) else 'lost' end;
  end loop;
  return v_verdicts;
end $$;

-- Parts of a task that an outside worker holds, the first of which has the number p_from. Counts as a heartbeat.
create function lockstep_add_task_parts(p_tenant text, p_id uuid, p_lease integer, p_from integer, p_values json, p_most integer)
returns table (verdict text, part text)
language plpgsql set search_path from current set enable_seqscan = off as $$
declare
  v_verdict text := lockstep_beat_task(p_tenant, p_id, p_lease, null, null);
  v_part text := 'kept';
  t task;
  v record;
begin
  if v_verdict = 'done' then
    select * into t from task x where x.tenant = p_tenant and x.id = p_id;
    perform lockstep_lock_parts(t.instance_id);
    for v in select e.value, e.n::integer - 1 as n from json_array_elements(p_values) with ordinality as e(value, n) order by e.n loop
      v_part := lockstep_add_part(p_tenant, t.instance_id, t.step, p_from + v.n, v.value, p_most);
      exit when v_part in ('gap', 'full');
    end loop;
  end if;
  return query select v_verdict, v_part;
end $$;

-- What belongs to an instance goes with it, whichever version of a node deletes it.
create function lockstep_forget_parts() returns trigger
language plpgsql set search_path from current set enable_seqscan = off as $$
begin
  delete from step_part p using gone g where p.instance_id = g.id and p.tenant = g.tenant;
  return null;
end $$;
create trigger instance_parts_forgotten after delete on instance referencing old table as gone for each statement execute function lockstep_forget_parts();

-- As in 0014. p_new: how many of them may be new starts; the rest of the room is for what has run before.
create function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8, p_after text, p_new integer)
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
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
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
