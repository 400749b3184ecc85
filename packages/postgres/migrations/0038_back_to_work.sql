-- 0038_back_to_work.sql  What goes on after it was lost or had ended. The doctor has the rows of tasks put back that stand behind a bookmark and are gone:
-- their owner makes them again from its journal. A run of a schedule that is sent back to work is one that runs: until now a singleton ran twice after a retry.
-- Replaces functions; locks nothing that exists.
-- compatible-from: 0017

-- As in 0034, and TASK_LOST.
create or replace function lockstep_repair(p_node uuid, p_code text, p_tenants text[], p_keys text[]) returns integer
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  v_ids uuid[];
  v_count integer := 0;
begin
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  if p_code like 'SCHEDULE%' then
    update schedule s set wake_at = s.due_at from unnest(p_tenants, p_keys) as k(tenant, id)
     where p_code = 'SCHEDULE_ASLEEP' and s.id = k.id and s.tenant = k.tenant and not s.paused and s.wake_at is null and s.due_at is not null;
    get diagnostics v_count = row_count;
    return v_count;
  end if;

  v_ids := array(select split_part(k.key, '/', 1)::uuid from unnest(p_keys) as k(key) order by 1);
  if p_code in ('BOOKMARK_OF_FINISHED', 'BOOKMARK_WITHOUT_INSTANCE') then
    perform 1 from instance i where i.id = any (array(select b.instance_id from bookmark b where b.id = any (v_ids))) order by i.id for update;
    delete from bookmark b where b.id = any (v_ids) and not exists (select 1 from instance i where i.id = b.instance_id and i.finished_at is null);
  elsif p_code in ('INBOX_OF_FINISHED', 'INBOX_WITHOUT_INSTANCE') then
    perform 1 from instance i where i.id = any (v_ids) order by i.id for update;
    delete from inbox m where m.instance_id = any (v_ids) and not exists (select 1 from instance i where i.id = m.instance_id and i.finished_at is null);
  elsif p_code = 'MESSAGE_NOT_COUNTED' then
    v_ids := array(select i.id from instance i where i.id = any (v_ids) and i.finished_at is null
                      and exists (select 1 from inbox m where m.instance_id = i.id)
                      and not exists (select 1 from agenda a where a.instance_id = i.id and a.stim > 0));
    perform lockstep_stimulate(v_ids);
    return cardinality(v_ids);
  elsif p_code in ('AGENDA_OF_FINISHED', 'AGENDA_WITHOUT_INSTANCE') then
    perform 1 from instance i where i.id = any (v_ids) order by i.id for update;
    delete from agenda a where a.instance_id = any (v_ids) and not exists (select 1 from instance i where i.id = a.instance_id and i.finished_at is null)
       and not exists (select 1 from node n where n.id = a.claimed_by);
  elsif p_code = 'CLAIM_OF_DEAD_NODE' then
    update agenda a set claimed_by = null where a.instance_id = any (v_ids) and a.claimed_by is not null and not exists (select 1 from node n where n.id = a.claimed_by);
  elsif p_code = 'STRANDED' then
    return lockstep_reopen(array(select i.id from instance i
     where i.id = any (v_ids) and i.finished_at is null and i.status not in ('quarantined', 'paused')
       and not exists (select 1 from agenda a where a.instance_id = i.id)
       and not exists (select 1 from bookmark b where b.instance_id = i.id)
       and not exists (select 1 from instance c where c.parent_id = i.id and c.parent_step is not null and c.finished_at is null)));
  elsif p_code = 'BOOKMARK_LOST' then
    return lockstep_reopen(v_ids);
  elsif p_code = 'TASK_LOST' then
    v_ids := array(select b.id from bookmark b join instance i on i.id = b.instance_id
                    where b.id = any (v_ids) and b.kind in ('task', 'human') and i.finished_at is null and i.status not in ('quarantined', 'paused')
                      and not exists (select 1 from task t where t.tenant = b.tenant and t.id = b.id and t.status = 'open')
                      and not exists (select 1 from human_task t where t.tenant = b.tenant and t.id = b.id and t.status = 'open'));
    perform lockstep_reopen(array(select distinct b.instance_id from bookmark b where b.id = any (v_ids)));
    return cardinality(v_ids);
  else
    return 0;
  end if;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- As in 0026, and the schedule of the instance counts it among what runs. Order of locks: schedule_end before schedule_run, as whoever takes schedules has it.
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
      -- A run of a schedule is open again: those after it meet it as they met it before, and hear how it ends now.
      delete from schedule_end e where e.instance_id = p_instance and e.tenant = p_tenant;
      update schedule_run r set open = true, ended_at = null, status = null
       where r.instance_id = p_instance and r.tenant = p_tenant and r.state = 'started';
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
