-- 0021_live.sql  What the live stream tells besides facts: changes of definitions, incidents, schedules and nodes, in the order of commits (DESIGN §7).
-- compatible-from: 0017
-- Lock: definition, incident, schedule, schedule_run and cluster_event, briefly, for their triggers. Steps and heartbeats cost nothing more.

-- `pos` as in the journal, at the last place of its transaction: facts of the same commit come first, `n` orders the rest.
create table live_change (
  n       bigint generated always as identity primary key,
  pos     bigint not null,
  at      timestamptz not null,
  tenant  text,
  topic   text not null,
  type    text not null,
  subject text,
  data    json
);
create index live_change_pos on live_change (pos, n);

-- Keeps the newest hundred thousand, without a sweeper: every thousandth takes the oldest along. Rows that somebody else deletes are left to him.
create function lockstep_tell(p_tenant text, p_topic text, p_type text, p_subject text, p_data json) returns void
language plpgsql set search_path from current as $$
declare
  v_n bigint;
begin
  insert into live_change (pos, at, tenant, topic, type, subject, data)
  values ((pg_current_xact_id()::text::bigint << 20) + 1048575, clock_timestamp(), p_tenant, p_topic, p_type, p_subject, p_data)
  returning n into v_n;
  if v_n % 1000 = 0 then
    delete from live_change c where c.n in (select x.n from live_change x where x.n <= v_n - 100000 order by x.n limit 5000 for update skip locked);
  end if;
end $$;

create function lockstep_tell_definition() returns trigger
language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' then
    perform lockstep_tell(old.tenant, 'definitions', 'deleted', old.id, null);
    return null;
  end if;
  perform lockstep_tell(new.tenant, 'definitions',
    case when tg_op = 'INSERT' then 'created'
         when old.published is not distinct from new.published then 'saved'
         when new.published is null then 'retracted' else 'published' end,
    new.id, json_build_object('version', new.published));
  return null;
end $$;
create trigger definition_told after insert or delete on definition for each row execute function lockstep_tell_definition();
create trigger definition_change_told after update of published, revision on definition for each row
  when (old.published is distinct from new.published or old.revision is distinct from new.revision)
  execute function lockstep_tell_definition();

create function lockstep_tell_incident() returns trigger
language plpgsql set search_path from current as $$
begin
  perform lockstep_tell(new.tenant, 'incidents', case when new.resolved_at is null then 'opened' else 'resolved' end,
    new.id::text, json_build_object('instanceId', new.instance_id, 'code', new.code));
  return null;
end $$;
create trigger incident_told after insert on incident for each row execute function lockstep_tell_incident();
create trigger incident_end_told after update of resolved_at on incident for each row
  when (old.resolved_at is distinct from new.resolved_at) execute function lockstep_tell_incident();

create function lockstep_tell_schedule() returns trigger
language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' then
    perform lockstep_tell(old.tenant, 'schedules', 'deleted', old.id, null);
    return null;
  end if;
  perform lockstep_tell(new.tenant, 'schedules',
    case when tg_op = 'INSERT' then 'created'
         when old.paused is not distinct from new.paused then 'changed'
         when new.paused then 'paused' else 'resumed' end,
    new.id, null);
  return null;
end $$;
create trigger schedule_told after insert or delete on schedule for each row execute function lockstep_tell_schedule();
create trigger schedule_change_told after update of document, paused on schedule for each row
  when (old.paused is distinct from new.paused or old.revision is distinct from new.revision)
  execute function lockstep_tell_schedule();

-- One row for all occurrences that one round has decided: a thousand schedules that fire together are one change.
create function lockstep_tell_runs() returns trigger
language plpgsql set search_path from current as $$
declare
  v record;
begin
  for v in select r.tenant, count(*) as total, (array_agg(distinct r.schedule_id))[1:20] as ids from told r group by r.tenant loop
    perform lockstep_tell(v.tenant, 'schedules', 'ran', null, json_build_object('count', v.total, 'scheduleIds', v.ids));
  end loop;
  return null;
end $$;
create trigger schedule_run_told after insert on schedule_run referencing new table as told for each statement execute function lockstep_tell_runs();

-- What happens to nodes is written down already (0019), with more about it.
create function lockstep_tell_cluster() returns trigger
language plpgsql set search_path from current as $$
begin
  perform lockstep_tell(null, 'cluster', new.kind, new.node_id::text, json_build_object('name', new.name, 'detail', new.detail));
  return null;
end $$;
create trigger cluster_event_told after insert on cluster_event for each row execute function lockstep_tell_cluster();
