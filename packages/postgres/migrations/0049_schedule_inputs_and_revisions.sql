-- 0049_schedule_inputs_and_revisions.sql  Runs of schedules are instances of the version that their input was checked by (ADR 0011), and revisions go on where
-- a schedule or a draft is deleted and made again under its id: an ETag of the one before must not match.
-- compatible-from: 0017
-- Lock: schedule and definition, briefly, for two triggers each. Nodes of before call lockstep_fire_schedules as they did and check no inputs; the triggers
-- hold for them too. They do not know of pauses that are remembered: what they make again begins without. Nor do they trim what is retired: whoever
-- sweeps after them does.

-- The last revision of what was deleted, one narrow row per id. `paused_for`: the owner of a schedule that was paused when it went. The others go after 30
-- days: nobody comes back with an ETag as old as that.
create table retired_revision (
  kind       text not null,
  id         text not null,
  tenant     text not null,
  revision   integer not null,
  paused_for text,
  retired_at timestamptz not null default clock_timestamp(),
  primary key (kind, id, tenant)
);
create index retired_revision_old on retired_revision (retired_at) where paused_for is null;

-- The lock is for who makes it again while this is under way: his row is given its revision before it waits for this one to be gone. Whoever deletes
-- holds the row already, and who makes one waits for no row that is merely held, so that the two cannot wait for one another.
create function lockstep_retire_revision() returns trigger
language plpgsql set search_path from current as $$
declare
  v_paused_for text;
begin
  perform pg_advisory_xact_lock(hashtextextended('revision ' || tg_table_name || ' ' || old.id || ' ' || old.tenant, 0));
  if tg_table_name = 'schedule' then
    v_paused_for := case when old.paused then old.owner end;
  end if;
  insert into retired_revision (kind, id, tenant, revision, paused_for) values (tg_table_name, old.id, old.tenant, old.revision, v_paused_for)
  on conflict (kind, id, tenant) do update set revision = excluded.revision, paused_for = excluded.paused_for, retired_at = excluded.retired_at;
  return old;
end $$;

create function lockstep_continue_revision() returns trigger
language plpgsql set search_path from current as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('revision ' || tg_table_name || ' ' || new.id || ' ' || new.tenant, 0));
  new.revision := coalesce((select r.revision + 1 from retired_revision r where r.kind = tg_table_name and r.id = new.id and r.tenant = new.tenant), new.revision);
  return new;
end $$;

create trigger schedule_revision_retired before delete on schedule for each row execute function lockstep_retire_revision();
create trigger schedule_revision_continued before insert on schedule for each row execute function lockstep_continue_revision();
create trigger definition_revision_retired before delete on definition for each row when (old.kind = 'graph') execute function lockstep_retire_revision();
create trigger definition_revision_continued before insert on definition for each row when (new.kind = 'graph') execute function lockstep_continue_revision();

-- lockstep_fire_checked: as lockstep_fire_schedules (0008, 0013), with two things more. u_version has one element per schedule, the version that its runs are
-- instances of; null: what is published now. A run of kind 'refuse' waited, and does not start any more, for its reason.
do $patch$
declare
  v_patch text[];
  v_old text;
  v_new text;
begin
  select pg_get_functiondef(f.oid) into strict v_new from pg_proc f
   where f.proname = 'lockstep_fire_schedules' and f.pronamespace = current_schema()::regnamespace;
  foreach v_patch slice 1 in array array[
    array['lockstep_fire_schedules(', 'lockstep_fire_checked('],
    array['x_instance uuid[])', 'x_instance uuid[], u_version integer[])'],
    array['s.definition_id, d.published, case when', 's.definition_id, coalesce(u_version[n.item], d.published) as published, case when'],
    array['where n.kind <> ''promote''', 'where n.kind not in (''promote'', ''refuse'')'],
    array['if ''promote'' = any (r_kind) then', $new$if 'refuse' = any (r_kind) then
    with refused as (
      update schedule_run r set state = 'skipped', open = false, reason = n.reason, started = null
        from unnest(r_item, r_kind, r_key, r_reason) as n(item, kind, key, reason)
       where n.kind = 'refuse' and r.schedule_id = u_id[n.item] and r.tenant = u_tenant[n.item] and r.key = n.key and r.open and r.state = 'waiting'
      returning r.id)
    select v_new || coalesce(array_agg(refused.id), '{}') into v_new from refused;
  end if;

  if 'promote' = any (r_kind) then$new$]]
  loop
    v_old := v_new;
    v_new := replace(v_old, v_patch[1], v_patch[2]);
    if v_new = v_old then
      raise exception 'lockstep_fire_schedules has no text "%"', v_patch[1];
    end if;
  end loop;
  execute v_new;
end $patch$;
