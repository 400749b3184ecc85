-- 0046_delete_instances.sql  Operators delete ended instances before their time. What deletes was part of the sweep; it is a function of its own now, and both call it.
-- compatible-from: 0017
-- Lock: none; replaces functions. Nodes of before call lockstep_retention_remove as they did. One that works off a batch of deletions does not know the
-- verb and leaves each of its instances as it is: they have ended, and there is nothing to cancel.

-- The live stream tells of it under a name of its own: nodes of before take every change of the topic `instances` for a fact.

-- Deletes instances with all that belongs to them. Whoever calls holds their locks and has found that they may go. The rest of a journal with more
-- than p_rows goes with the next sweep: such an instance is noted as purging.
create function lockstep_erase(p_ids uuid[], p_rows bigint)
returns table (instances integer, rows integer, incidents integer)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_long uuid[];
  v_count integer := 0;
  v_rows integer := 0;
  v_incidents integer := 0;
begin
  v_long := array(select i.id from instance i where i.id = any (p_ids) and i.last_seq > p_rows);
  delete from bookmark b where b.instance_id = any (p_ids);
  delete from inbox m where m.instance_id = any (p_ids);
  delete from incident n where n.instance_id = any (p_ids);
  get diagnostics v_incidents = row_count;
  delete from schedule_run r where r.instance_id = any (p_ids) and not r.open;
  delete from journal j where j.instance_id = any (p_ids) and not (j.instance_id = any (v_long));
  get diagnostics v_rows = row_count;
  insert into retention_watch (tenant, definition_id, instance_id, look_at, purging)
  select i.tenant, i.definition_id, i.id, clock_timestamp(), true from instance i where i.id = any (v_long)
  on conflict (tenant, definition_id, instance_id) do update set purging = true;
  delete from retention_watch x using instance i
   where i.id = any (p_ids) and not (i.id = any (v_long)) and x.tenant = i.tenant and x.definition_id = i.definition_id and x.instance_id = i.id;
  delete from instance i where i.id = any (p_ids);
  get diagnostics v_count = row_count;
  return query select v_count, v_rows, v_incidents;
end $$;

-- As in 0039, deleting through lockstep_erase.
create or replace function lockstep_retention_remove(p_node uuid, p_ttl float8, p_keep jsonb, p_ids uuid[], p_rows bigint)
returns table (instances integer, rows integer, incidents integer)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_ids uuid[];
  v_rows integer := 0;
  w retention_watch;
begin
  if not lockstep_keep_turn('retention', p_node, p_ttl) then
    return;
  end if;

  select * into w from retention_watch x where x.purging limit 1;
  if found then
    delete from journal j
     where j.instance_id = w.instance_id
       and j.seq = any (array(select x.seq from journal x where x.instance_id = w.instance_id order by x.seq limit p_rows));
    get diagnostics v_rows = row_count;
    if v_rows < p_rows then
      delete from retention_watch x where x.tenant = w.tenant and x.definition_id = w.definition_id and x.instance_id = w.instance_id;
    end if;
    return query select 0, v_rows, 0;
    return;
  end if;

  v_ids := array(select i.id from instance i where i.id = any (p_ids) and i.finished_at is not null order by i.id for update skip locked);
  select coalesce(array_agg(j.id), '{}') into v_ids from lockstep_retention_judge(v_ids, p_keep) j where j.look_at is null;
  return query select e.instances, e.rows, e.incidents from lockstep_erase(v_ids, p_rows) e;
end $$;

-- Why an ended instance cannot be deleted, whatever its age; null: it can. The same that keeps retention from it, its time aside.
create function lockstep_delete_obstacle(i instance, out outcome text, out detail text, out reason text)
language plpgsql stable as $$
begin
  if i.finished_at is null or exists (select 1 from agenda a where a.instance_id = i.id) then
    outcome := 'wrong-state';
    detail := case when i.finished_at is null then i.status else 'running' end;
    return;
  end if;
  select 'held', x.subject, x.reason into outcome, detail, reason from retention_rule x
   where x.tenant = i.tenant and x.aspect = 'hold' and x.subject in ('*', 'definition:' || i.definition_id, 'instance:' || i.id)
   order by length(x.subject) desc limit 1;
  if found then
    return;
  end if;
  select 'parent-lives', p.id::text into outcome, detail from instance p
   where i.parent_id is not null and p.id = i.parent_id and p.tenant = i.tenant and p.finished_at is null;
  if found then
    return;
  end if;
  -- Its schedule is told first; where nobody fires schedules, not for ever.
  select 'unsettled' into outcome from schedule_end e where e.instance_id = i.id and e.at > clock_timestamp() - interval '1 day' limit 1;
end $$;

-- Deletes one ended instance, or with p_look only says what would come of it. Order of locks as in 0010: a hold that is being saved is waited for.
create function lockstep_delete(p_tenant text, p_id uuid, p_rows bigint, p_look boolean, p_operation uuid)
returns table (outcome text, detail text, reason text, rows integer, incidents integer)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  i instance;
  v_outcome text;
  v_detail text;
  v_reason text;
  v_rows integer := 0;
  v_incidents integer := 0;
begin
  if not p_look then
    if not lockstep_bulk_take(p_tenant, p_operation, p_id) then
      return query select 'done-before', null::text, null::text, 0, 0;
      return;
    end if;
    insert into maintenance_turn (duty) values ('retention') on conflict (duty) do update set duty = excluded.duty;
    perform 1 from instance x where x.id = p_id and x.tenant = p_tenant for update;
  end if;
  select * into i from instance x where x.id = p_id and x.tenant = p_tenant;
  if not found then
    v_outcome := 'not-found';
  else
    select o.outcome, o.detail, o.reason into v_outcome, v_detail, v_reason from lockstep_delete_obstacle(i) o;
    v_rows := i.last_seq;
    select count(*) into v_incidents from incident n where n.instance_id = p_id;
    if v_outcome is null then
      v_outcome := 'deleted';
      if not p_look then
        perform lockstep_erase(array[p_id], p_rows);
        -- Its facts are gone from the live stream too: whoever had heard of it and stands behind hears of its end by this.
        perform lockstep_tell(p_tenant, 'instance-deleted', 'deleted', p_id::text, null);
      end if;
    end if;
  end if;
  if p_operation is not null and not p_look then
    update bulk_item b set outcome = v_outcome, detail = coalesce(v_reason, v_detail) where b.tenant = p_tenant and b.operation_id = p_operation and b.instance_id = p_id;
  end if;
  return query select v_outcome, v_detail, v_reason, v_rows, v_incidents;
end $$;
