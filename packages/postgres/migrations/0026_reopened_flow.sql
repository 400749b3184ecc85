-- 0026_reopened_flow.sql  An ended instance that is sent back to work waits for a slot of its workflow, as a start does (see 0013). Skipped runs are trimmed.
-- compatible-from: 0017
-- Lock: schedule_run, while its index of skipped runs is built. Nodes of before call them as they did.
-- Until now it took a slot though none was free: a workflow that may run once at a time ran twice after a retry.

-- Occurrences that were skipped, by age: they are trimmed like ended instances. Nothing else of schedule_run pays for it.
create index schedule_run_skipped on schedule_run (decided_at) where state = 'skipped';

-- A slot is free when its instance has ended. One that is sent back to work asks for its turn in lockstep_retry, which holds the policy.
create or replace function lockstep_flow_ended() returns trigger
language plpgsql set search_path from current as $$
begin
  if new.finished_at is not null then
    delete from flow_ticket t where t.tenant = new.tenant and t.instance_id = new.id;
    insert into flow_freed (tenant, definition_id, instance_id, single_key, slot_key)
    values (new.tenant, new.definition_id, new.id, new.flow[1], new.flow[2]) on conflict do nothing;
  end if;
  return null;
end $$;

-- Puts an instance that is open again into the line of its lane, and lets in who may go. The caller holds the policy, and has told the instance.
create function lockstep_flow_reopen(p_policy jsonb, i instance, p_queue text) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  insert into flow_ticket (tenant, instance_id, definition_id, state, single_key, slot_key, rate_key, lane, priority, rank, queue, since)
  values (i.tenant, i.id, i.definition_id, 'waiting', i.flow[1], i.flow[2], i.flow[3], array_to_string(i.flow, E'\x01'), 0, v_now, p_queue, v_now)
  on conflict do nothing;
  perform lockstep_flow_admit(null, i.tenant, i.definition_id, coalesce(p_policy, '{}'), i.flow[1], i.flow[2], i.flow[3], v_now, null);
  update instance x set status = 'queued' where x.id = i.id and x.tenant = i.tenant and x.queue = 'flow';
end $$;

-- The function of 0012; what is under control is parked like a start that waits, until it was told all, and then asks for its turn.
create or replace function lockstep_retry(
  p_tenant text, p_instance uuid, p_kinds text[], p_payloads json, p_queue text, p_force boolean, p_note text, p_operation uuid
) returns table (outcome text, detail text)
language plpgsql as $$
declare
  i instance;
  p instance;
  v_policy flow_policy;
  v_outcome text := 'accepted';
  v_detail text;
  v_told bigint;
begin
  if not lockstep_bulk_take(p_tenant, p_operation, p_instance) then
    return query select 'done-before', null::text;
    return;
  end if;
  -- The policy comes before the instance, as everywhere. Written, not only locked: see lockstep_flow_start.
  update flow_policy f set turn = f.turn + 1
    from instance x
   where x.id = p_instance and x.tenant = p_tenant and x.flow is not null and x.finished_at is not null
     and f.tenant = x.tenant and f.definition_id = x.definition_id
  returning f.* into v_policy;
  select * into i from instance x where x.id = p_instance and x.tenant = p_tenant for update;
  if v_policy.tenant is null and i.flow is not null and i.finished_at is not null then
    -- It ended since that was read.
    update flow_policy f set turn = f.turn + 1 where f.tenant = i.tenant and f.definition_id = i.definition_id returning f.* into v_policy;
  end if;
  if i.id is null then
    v_outcome := 'not-found';
  elsif i.status <> 'faulted' and i.status <> 'quarantined' then
    v_outcome := 'wrong-state'; v_detail := i.status;
  elsif exists (select 1 from inbox m where m.instance_id = p_instance and m.dedupe_key = 'retry') then
    v_outcome := 'already-requested';
  elsif i.finished_at is not null and i.parent_step is not null then
    select * into p from instance x where x.id = i.parent_id and x.tenant = p_tenant;
    -- A parent that had ended before was told nothing.
    if found and (p.finished_at is null or p.finished_at >= i.finished_at) then
      perform 1 from agenda a where a.instance_id = i.parent_id and a.claimed_by is null for update;
      if found then
        delete from inbox m where m.instance_id = i.parent_id and m.kind = 'child' and m.payload ->> 'child' = p_instance::text returning m.id into v_told;
      elsif not exists (select 1 from agenda a where a.instance_id = i.parent_id) then
        -- It stands still: a word that it keeps for later can be taken back too.
        delete from inbox m where m.instance_id = i.parent_id and m.kind = 'child' and m.payload ->> 'child' = p_instance::text returning m.id into v_told;
      end if;
      if v_told is null and not p_force then
        v_outcome := 'parent-told'; v_detail := i.parent_id::text;
      end if;
    end if;
  end if;

  if v_outcome = 'accepted' then
    if i.finished_at is not null then
      update instance x
         set finished_at = null, status = 'suspended', queue = case when v_policy.tenant is not null then 'flow' else coalesce(p_queue, x.queue) end
       where x.id = p_instance and x.tenant = p_tenant;
      -- A child that ends now waits for this, and then sees a parent that can be told; one that has ended is asked when the instance goes on.
      perform 1 from instance c where c.parent_id = p_instance and c.parent_step is not null and c.finished_at is null order by c.id for update;
    end if;
    insert into inbox (instance_id, tenant, kind, payload, dedupe_key)
    select p_instance, p_tenant, m.kind, m.payload, case when m.ord = cardinality(p_kinds) then 'retry' end
      from rows from (unnest(p_kinds), json_array_elements(p_payloads)) with ordinality as m(kind, payload, ord) order by m.ord;
    update incident n set resolved_at = clock_timestamp(), resolution = 'retried', note = coalesce(p_note, n.note)
     where n.instance_id = p_instance and n.tenant = p_tenant and n.resolved_at is null;
    perform lockstep_stimulate(array[p_instance]);
    if i.finished_at is not null and v_policy.tenant is not null then
      perform lockstep_flow_reopen(v_policy.policy, i, coalesce(p_queue, i.queue));
    elsif p_queue is not null then
      update agenda a set queue = p_queue where a.instance_id = p_instance and a.claimed_by is null;
    end if;
  end if;
  if p_operation is not null then
    update bulk_item b set outcome = v_outcome, detail = v_detail where b.tenant = p_tenant and b.operation_id = p_operation and b.instance_id = p_instance;
  end if;
  return query select v_outcome, v_detail;
end $$;
