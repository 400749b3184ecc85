-- 0038_lost_tasks.sql  The doctor has the rows of tasks put back that stand behind a bookmark and are gone: their owner makes them again from its journal.
-- Replaces a function; locks nothing that exists.
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
