-- 0008_schedules.sql  Schedules, their runs, and the ends of those runs (DESIGN §2 and §5). Lock: `instance` and `definition`, briefly, for a trigger each.
-- Whoever holds a schedule's row decides about it, in one transaction that also starts its runs: nothing can come between.
-- Order of locks: schedule_end, schedule (both without waiting, but for a change of one schedule), schedule_run, inserts, inbox and agenda of what is cancelled.

create table schedule (
  id            text not null,
  tenant        text not null,
  document      json not null,
  revision      integer not null default 1,
  definition_id text not null,
  owner         text,
  activity      text,
  paused        boolean not null,
  due_at        timestamptz,
  wake_at       timestamptz,
  last_fired_at timestamptz,
  after_jobs    text[],
  round         json,
  created_at    timestamptz not null default clock_timestamp(),
  updated_at    timestamptz not null default clock_timestamp(),
  primary key (id, tenant)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index schedule_wake on schedule (wake_at) where wake_at is not null;
create index schedule_owner on schedule (owner, tenant) where owner is not null;
create index schedule_after on schedule using gin (after_jobs) where after_jobs is not null;

-- One row per occurrence that fired or waits, and per row of occurrences that did not. It outlives its schedule: a key is used once.
create table schedule_run (
  id          uuid not null,
  schedule_id text not null,
  key         text not null,
  tenant      text not null,
  state       text not null check (state in ('started', 'waiting', 'skipped')),
  open        boolean not null,
  reason      text,
  origin      text not null,
  nominal_at  timestamptz not null,
  last_at     timestamptz,
  count       integer not null default 1,
  exact       boolean not null default true,
  late        boolean not null default false,
  instance_id uuid,
  node_id     uuid not null,
  decided_at  timestamptz not null,
  fired_at    timestamptz,
  ended_at    timestamptz,
  status      text,
  started     json,
  primary key (schedule_id, key, tenant)
) with (fillfactor = 80);
create index schedule_run_list on schedule_run (schedule_id, tenant, id);
create index schedule_run_instance on schedule_run (instance_id) where instance_id is not null;
-- `open`: waits, or has not been seen to end.
create index schedule_run_open on schedule_run (schedule_id, tenant, state, nominal_at) where open;
create index schedule_run_waiting on schedule_run (tenant) where state = 'waiting';

-- Ends that schedules have not been told of yet. Only inserted into by commits: what many batches write must not make them wait for one another.
create table schedule_end (
  instance_id uuid not null,
  tenant      text not null,
  schedule_id text not null,
  status      text not null,
  at          timestamptz not null,
  primary key (instance_id, schedule_id, tenant)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index schedule_end_at on schedule_end (at);

-- Definitions whose published version changed and whose triggers have not followed yet: written with the change, gone when it is done.
create table schedule_source (
  definition_id text not null,
  tenant        text not null,
  version       integer,
  primary key (definition_id, tenant)
);
create function lockstep_triggers_changed() returns trigger
language plpgsql set search_path from current as $$
begin
  insert into schedule_source (definition_id, tenant, version) values (new.id, new.tenant, new.published)
  on conflict (definition_id, tenant) do update set version = excluded.version;
  perform pg_notify('lockstep_wake', 'schedule');
  return null;
end $$;
create trigger definition_tells_schedules after update of published on definition for each row
  when (new.kind = 'graph' and old.published is distinct from new.published)
  execute function lockstep_triggers_changed();
insert into schedule_source (definition_id, tenant, version)
select d.id, d.tenant, d.published from definition d where d.kind = 'graph' and d.published is not null;

create function lockstep_run_ended() returns trigger
language plpgsql set search_path from current as $$
begin
  insert into schedule_end (instance_id, tenant, schedule_id, status, at)
  select new.id, r.tenant, r.schedule_id, new.status, new.finished_at
    from schedule_run r where r.instance_id = new.id and r.tenant = new.tenant
  on conflict do nothing;
  return null;
end $$;
-- Keys of runs have an @ in them. Instances without a key, and children, cost no call.
create trigger instance_tells_schedule after update of finished_at on instance for each row
  when (old.finished_at is null and new.finished_at is not null and new.dedupe_key like '%@%')
  execute function lockstep_run_ended();

-- Locks schedules to decide about: one that is named, or those that are due or told of an end and that nobody else holds.
-- An end is handed out, and forgotten, only when every schedule that it concerns is held here; the schedule of its own run is always one of
-- them, since somebody who holds it may be about to let a run wait for just this end.
create function lockstep_take_schedules(p_tenant text, p_id text, p_limit integer)
returns table (now timestamptz, id text, tenant text, document json, revision integer, definition_id text, owner text, activity text, paused boolean,
               due_at timestamptz, wake_at timestamptz, last_fired_at timestamptz, after_jobs text[], round json, running uuid[], waiting text[], ends json)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_ids text[] := '{}';
  v_tenants text[] := '{}';
  v_due_ids text[];
  v_due_tenants text[];
  v_ends uuid[] := '{}';
  v_told json;
  v_locked text[];
begin
  if p_id is not null then
    perform 1 from schedule s where s.id = p_id and s.tenant = p_tenant for update;
    if not found then
      return;   -- made since then, it would be read without being held
    end if;
    v_ids := array[p_id];
    v_tenants := array[p_tenant];
  else
    v_ends := array(select e.instance_id from schedule_end e order by e.at limit p_limit for update skip locked);
    if cardinality(v_ends) > 0 then
      -- One text per schedule, so that arrays can be compared; ids are slugs, so the character between the parts is the first of its kind.
      select coalesce(array_agg(l.id || E'\x01' || l.tenant), '{}') into v_locked from (
        select s.id, s.tenant
          from (select e.schedule_id as id, e.tenant from schedule_end e where e.instance_id = any (v_ends)
                union
                select c.id, c.tenant from schedule_end e
                 cross join lateral (select x.id, x.tenant from schedule x where x.after_jobs @> array[e.schedule_id] and x.tenant = e.tenant offset 0) c
                 where e.instance_id = any (v_ends)) w
         cross join lateral (select x.id, x.tenant from schedule x where x.id = w.id and x.tenant = w.tenant for update skip locked) s) l;
      v_ends := array(
        select e.instance_id from schedule_end e
         where e.instance_id = any (v_ends)
           and not exists (select 1 from schedule x where x.id = e.schedule_id and x.tenant = e.tenant
                              and not (x.id || E'\x01' || x.tenant = any (v_locked)))
           and not exists (select 1 from schedule x where x.after_jobs @> array[e.schedule_id] and x.tenant = e.tenant
                              and not (x.id || E'\x01' || x.tenant = any (v_locked))));
      select json_agg(json_build_object('scheduleId', e.schedule_id, 'tenant', e.tenant, 'instanceId', e.instance_id, 'status', e.status) order by e.at, e.instance_id)
        into v_told from schedule_end e where e.instance_id = any (v_ends);
      update schedule_run r set ended_at = e.at, status = e.status, open = false
        from schedule_end e
       where e.instance_id = any (v_ends) and r.instance_id = e.instance_id and r.schedule_id = e.schedule_id and r.tenant = e.tenant;
      -- Those for whom an end changes something: somebody waits there, or hears of it.
      select coalesce(array_agg(t.id), '{}'), coalesce(array_agg(t.tenant), '{}') into v_ids, v_tenants from (
        select e.schedule_id as id, e.tenant from schedule_end e
         where e.instance_id = any (v_ends)
           and exists (select 1 from schedule_run r where r.schedule_id = e.schedule_id and r.tenant = e.tenant and r.open and r.state = 'waiting')
        union
        select c.id, c.tenant from schedule_end e
         cross join lateral (select x.id, x.tenant from schedule x where x.after_jobs @> array[e.schedule_id] and x.tenant = e.tenant offset 0) c
         where e.instance_id = any (v_ends)) t;
      delete from schedule_end e where e.instance_id = any (v_ends);
    end if;
    select coalesce(array_agg(d.id), '{}'), coalesce(array_agg(d.tenant), '{}') into v_due_ids, v_due_tenants from (
      select s.id, s.tenant from schedule s where s.wake_at <= (select clock_timestamp()) order by s.wake_at limit p_limit for update skip locked) d;
    select array_agg(u.id), array_agg(u.tenant) into v_ids, v_tenants from (
      select * from unnest(v_ids, v_tenants) as a(id, tenant) union select * from unnest(v_due_ids, v_due_tenants) as b(id, tenant)) u;
    if v_ids is null then
      return;
    end if;
  end if;

  return query
    select clock_timestamp(), s.id, s.tenant, s.document, s.revision, s.definition_id, s.owner, s.activity, s.paused, s.due_at, s.wake_at, s.last_fired_at,
           s.after_jobs, s.round,
           case when coalesce(s.document ->> 'overlap', 'skip') = 'allow' then '{}'::uuid[]
                else array(select r.instance_id from schedule_run r
                            cross join lateral (select 1 from instance i where i.id = r.instance_id and i.tenant = r.tenant and i.finished_at is null offset 0) i
                            where r.schedule_id = s.id and r.tenant = s.tenant and r.open and r.state = 'started' limit 1000) end,
           array(select r.key from schedule_run r
                  where r.schedule_id = s.id and r.tenant = s.tenant and r.open and r.state = 'waiting' order by r.nominal_at, r.key limit 1000),
           case when s.after_jobs is not null then
             (select json_agg(t.value) from json_array_elements(v_told) as t(value)
               where t.value ->> 'scheduleId' = any (s.after_jobs) and t.value ->> 'tenant' = s.tenant) end
      from unnest(v_ids, v_tenants) as w(id, tenant)
     cross join lateral (select x.* from schedule x where x.id = w.id and x.tenant = w.tenant offset 0) s;
end $$;

-- Writes decisions about schedules that this transaction holds. u_* has one element per schedule, r_* one per run that names its
-- schedule by `item`. A run becomes an instance here; one whose workflow is not published is skipped, one whose key an instance has already is that instance.
create function lockstep_fire_schedules(
  p_node uuid,
  u_id text[], u_tenant text[], u_due timestamptz[], u_wake timestamptz[], u_last timestamptz[], u_round json, u_drops boolean[],
  r_item integer[], r_kind text[], r_id uuid[], r_key text[], r_at timestamptz[], r_origin text[], r_late boolean[], r_started json,
  r_reason text[], r_last timestamptz[], r_count integer[], r_exact boolean[],
  x_tenant text[], x_instance uuid[]
) returns table (item integer, key text, state text, reason text, instance_id uuid, created boolean)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_pos bigint;
  v_new uuid[];
  v_starting uuid[];
  v_born uuid[] := '{}';
  v_all boolean := false;
  v_count integer;
begin
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  v_at := clock_timestamp();

  if true = any (u_drops) then
    update schedule_run r set state = 'skipped', open = false, reason = 'overlap', started = null
      from unnest(u_id, u_tenant, u_drops) as u(id, tenant, drops)
     where u.drops and r.schedule_id = u.id and r.tenant = u.tenant and r.open and r.state = 'waiting';
  end if;

  with added as (
    insert into schedule_run (id, schedule_id, key, tenant, state, open, reason, origin, nominal_at, last_at, count, exact, late, instance_id,
                              node_id, decided_at, fired_at, started)
    select n.id, u_id[n.item], n.key, u_tenant[n.item],
           case n.kind when 'start' then 'started' when 'wait' then 'waiting' else 'skipped' end, n.kind <> 'skip', n.reason, n.origin, n.at, n.last, n.count, n.exact, n.late,
           case when n.kind = 'start' then n.id end, p_node, v_at, case when n.kind = 'start' then v_at end, case when n.kind = 'wait' then n.started end
      from rows from (unnest(r_item), unnest(r_kind), unnest(r_id), unnest(r_key), unnest(r_at), unnest(r_origin), unnest(r_late), json_array_elements(r_started),
                      unnest(r_reason), unnest(r_last), unnest(r_count), unnest(r_exact))
           as n(item, kind, id, key, at, origin, late, started, reason, last, count, exact)
     where n.kind <> 'promote'
    on conflict (schedule_id, key, tenant) do nothing
    returning schedule_run.id, schedule_run.state)
  select coalesce(array_agg(added.id), '{}'), coalesce(array_agg(added.id) filter (where added.state = 'started'), '{}') into v_new, v_starting from added;

  if 'promote' = any (r_kind) then
    with turn as (
      update schedule_run r set state = 'started', instance_id = r.id, fired_at = v_at
        from unnest(r_item, r_kind, r_key) as n(item, kind, key)
       where n.kind = 'promote' and r.schedule_id = u_id[n.item] and r.tenant = u_tenant[n.item] and r.key = n.key and r.open and r.state = 'waiting'
      returning r.id)
    select v_starting || coalesce(array_agg(turn.id), '{}'), v_new || coalesce(array_agg(turn.id), '{}') into v_starting, v_new from turn;
  end if;

  if cardinality(v_starting) > 0 then
    v_pos := pg_current_xact_id()::text::bigint << 20;
    -- The common case, in which no row needs to be looked for in a list.
    v_all := cardinality(v_starting) = cardinality(r_id);
    -- Functions run where their version is registered, graphs anywhere: the queues are those of `engine.start`.
    with begun as materialized (
      select r.id, r.tenant, r.key, s.definition_id, d.published, case d.kind when 'function' then 'fn/' || s.definition_id || '/' || d.published else 'default' end as queue
        from unnest(r_item, r_key) as n(item, key)
       cross join lateral (select x.* from schedule_run x where x.schedule_id = u_id[n.item] and x.key = n.key and x.tenant = u_tenant[n.item] offset 0) r
       cross join lateral (select x.definition_id from schedule x where x.id = r.schedule_id and x.tenant = r.tenant offset 0) s
       cross join lateral (select x.kind, x.published from definition x where x.id = s.definition_id and x.tenant = r.tenant offset 0) d
       where (v_all or r.id = any (v_starting)) and d.published is not null),
    born as (
      insert into instance (id, tenant, definition_id, version, dedupe_key, queue, created_at, status, claim_no)
      select b.id, b.tenant, b.definition_id, b.published, b.key, b.queue, v_at, 'queued', 0 from begun b
      on conflict (tenant, definition_id, dedupe_key) where dedupe_key is not null do nothing
      returning instance.id, instance.tenant, instance.queue),
    listed as (
      insert into agenda (instance_id, tenant, queue, due_at) select b.id, b.tenant, b.queue, v_at from born b)
    select coalesce(array_agg(born.id), '{}') into v_born from born;

    insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
    select r.id, 1, 0, v_pos + n.ord, v_at, p_node, r.tenant, 'started', coalesce(r.started, n.started)
      from rows from (unnest(r_item), unnest(r_key), json_array_elements(r_started)) with ordinality as n(item, key, started, ord)
     cross join lateral (select x.* from schedule_run x where x.schedule_id = u_id[n.item] and x.key = n.key and x.tenant = u_tenant[n.item] offset 0) r
     where v_all and cardinality(v_born) = cardinality(r_id) or r.id = any (v_born);

    if cardinality(v_born) < cardinality(v_starting) then
      -- What has the key of a run is its instance; ended already, its end is told at once. Else there is nothing to start.
      update schedule_run r
         set instance_id = e.id, state = case when e.id is null then 'skipped' else 'started' end, reason = case when e.id is null then 'no-definition' end,
             open = e.id is not null, fired_at = case when e.id is not null then r.fired_at end
        from unnest(r_item, r_key) as n(item, key)
       cross join lateral (select x.definition_id from schedule x where x.id = u_id[n.item] and x.tenant = u_tenant[n.item] offset 0) s
        left join lateral (select i.id from instance i where i.tenant = u_tenant[n.item] and i.definition_id = s.definition_id and i.dedupe_key = n.key offset 0) e on true
       where r.schedule_id = u_id[n.item] and r.key = n.key and r.tenant = u_tenant[n.item] and r.id = any (v_starting) and not (r.id = any (v_born));
      insert into schedule_end (instance_id, tenant, schedule_id, status, at)
      select i.id, r.tenant, r.schedule_id, i.status, i.finished_at
        from unnest(r_item, r_key) as n(item, key)
       cross join lateral (select x.* from schedule_run x where x.schedule_id = u_id[n.item] and x.key = n.key and x.tenant = u_tenant[n.item] offset 0) r
       cross join lateral (select x.id, x.status, x.finished_at from instance x where x.id = r.instance_id and x.finished_at is not null offset 0) i
       where r.id = any (v_starting) and not (r.id = any (v_born))
      on conflict do nothing;
    end if;
    update schedule_run r set started = null
      from unnest(r_item, r_kind, r_key) as n(item, kind, key)
     where n.kind = 'promote' and r.schedule_id = u_id[n.item] and r.key = n.key and r.tenant = u_tenant[n.item];
  end if;

  update schedule s
     set due_at = u.due, last_fired_at = u.last, round = nullif(u.round::text, 'null')::json,
         -- A run that came to nothing, or had been there before, has no end that would wake the one behind it.
         wake_at = case when not s.paused
                         and exists (select 1 from schedule_run r where r.schedule_id = s.id and r.tenant = s.tenant and r.open and r.state = 'waiting')
                         and not exists (select 1 from schedule_run r where r.schedule_id = s.id and r.tenant = s.tenant and r.open and r.state = 'started')
                        then least(u.wake, v_at) else u.wake end
    from rows from (unnest(u_id), unnest(u_tenant), unnest(u_due), unnest(u_wake), unnest(u_last), json_array_elements(u_round)) as u(id, tenant, due, wake, last, round)
   where s.id = u.id and s.tenant = u.tenant;

  for v_count in 1 .. coalesce(cardinality(x_instance), 0) loop
    perform lockstep_send(x_tenant[v_count], x_instance[v_count], 'cancel', '{"reason":"the next run of its schedule begins"}', 'cancel');
  end loop;

  return query
    select n.item, n.key, r.state, r.reason, r.instance_id, v_all or r.id = any (v_new)
      from unnest(r_item, r_key) as n(item, key)
     cross join lateral (select x.* from schedule_run x where x.schedule_id = u_id[n.item] and x.key = n.key and x.tenant = u_tenant[n.item] offset 0) r;
end $$;
