-- 0034_reopen.sql  The doctor has lost bookmarks put back: it asks the owner of the instance by a message, as whoever changes an instance must.
-- Adds a function and replaces one; locks nothing that exists. A node that does not know the message takes it away and changes nothing: it is asked again.
-- compatible-from: 0017

-- Has instances opened anew by whoever claims them next. One message is enough, however often it is asked for. Answers how many were asked.
create function lockstep_reopen(p_instances uuid[]) returns integer
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  v_ids uuid[];
begin
  insert into inbox (instance_id, tenant, kind, payload, dedupe_key)
  select i.id, i.tenant, 'reopen', '{}', 'reopen' from instance i
   where i.id = any (p_instances) and i.finished_at is null and i.status <> 'quarantined'
   order by i.id
  on conflict (tenant, instance_id, dedupe_key) where dedupe_key is not null do nothing;
  v_ids := array(select m.instance_id from inbox m where m.instance_id = any (p_instances) and m.kind = 'reopen');
  perform lockstep_stimulate(v_ids);
  -- One that ended while this waited for its row will not read it.
  delete from inbox m using instance i where m.instance_id = any (v_ids) and m.kind = 'reopen' and i.id = m.instance_id and i.finished_at is not null;
  return cardinality(v_ids);
end $$;

-- As in 0010, but for STRANDED and BOOKMARK_LOST.
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
  else
    return 0;
  end if;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
