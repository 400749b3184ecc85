-- 0016_tasks.sql  Work that outside workers and people do, tokens for it, and triggers of graphs by event and by HTTP (DESIGN §2, §3 and §7).
-- New tables and functions. Lock: `event`, briefly, for a column with a constant default; `definition`, briefly, for a trigger.
-- A task stands behind the bookmark of the same id: where the bookmark is gone nobody waits for it any more, whatever its row says. So closing a
-- bookmark (time-out, cancel, end of the instance) needs to know nothing of tasks. Order of locks: task, bookmark, inbox, agenda.

create table task (
  tenant      text not null,
  id          uuid not null,
  instance_id uuid not null,
  step        text not null,
  queue       text not null,
  name        text not null,
  payload     json,
  status      text not null default 'open' check (status in ('open', 'completed', 'failed', 'cancelled')),
  -- While it is open: when it can be claimed. That is at once, or when the lease that is held now ends.
  due_at      timestamptz not null default clock_timestamp(),
  lease_no    integer not null default 0,
  lease_ms    float8 not null,
  most_claims integer not null,
  worker      text,
  progress    json,
  created_at  timestamptz not null default clock_timestamp(),
  ended_at    timestamptz,
  -- When to look whether the row may go.
  kept_until  timestamptz not null default clock_timestamp() + interval '1 day',
  primary key (tenant, id)
) with (fillfactor = 70);
create index task_due on task (tenant, queue, name, due_at) where status = 'open';
create index task_kept on task (kept_until);

create table human_task (
  tenant       text not null,
  id           uuid not null,
  instance_id  uuid not null,
  step         text not null,
  title        text not null,
  description  text,
  form         json,
  outcomes     text[] not null,
  assignee     text,
  candidates   text[] not null,
  due_at       timestamptz,
  status       text not null default 'open' check (status in ('open', 'completed', 'cancelled')),
  outcome      text,
  completed_by text,
  created_at   timestamptz not null default clock_timestamp(),
  ended_at     timestamptz,
  kept_until   timestamptz not null default clock_timestamp() + interval '1 day',
  primary key (tenant, id)
);
create index human_task_open on human_task (tenant, id) where status = 'open';
create index human_task_kept on human_task (kept_until);

-- The token itself is nowhere: whoever has it can show it, whoever reads this cannot.
create table resume_token (
  tenant      text not null,
  hash        text not null,
  bookmark_id uuid not null,
  instance_id uuid not null,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null,
  used_at     timestamptz,
  primary key (tenant, hash)
);
create index resume_token_expires on resume_token (expires_at);

-- Which graphs an event starts, as their published versions say.
create table event_trigger (
  tenant        text not null,
  definition_id text not null,
  activity      text not null,
  version       integer not null,
  place         integer not null,
  name          text not null,
  correlation   text,
  filter        text,
  -- Events from before do not start it. A later version that names the same event keeps the moment.
  since         timestamptz not null,
  primary key (tenant, definition_id, activity)
);
create index event_trigger_name on event_trigger (tenant, name);

-- Which paths graphs answer at. A parameter is null in `segments` and {} in `shape`: one shape belongs to one activity.
create table http_endpoint (
  tenant        text not null,
  method        text not null,
  shape         text not null,
  definition_id text not null,
  activity      text not null,
  version       integer not null,
  segments      text[] not null,
  inputs        json not null,
  primary key (tenant, method, shape)
);
create index http_endpoint_length on http_endpoint (tenant, (cardinality(segments)));
create index http_endpoint_definition on http_endpoint (tenant, definition_id);

-- Makes the triggers of a graph those of its published version, in the transaction that publishes or retracts it.
create function lockstep_bind_triggers() returns trigger
language plpgsql set search_path from current as $$
declare
  v_activities json;
  v_now timestamptz := clock_timestamp();
begin
  select v.document -> 'activities' into v_activities
    from definition_version v where v.id = new.id and v.tenant = new.tenant and v.version = new.published;
  if v_activities is null or json_typeof(v_activities) <> 'array' then
    v_activities := '[]';
  end if;

  delete from event_trigger t
   where t.tenant = new.tenant and t.definition_id = new.id
     and not exists (select 1 from json_array_elements(v_activities) as a(j) where a.j ->> 'type' = 'event' and a.j ->> 'id' = t.activity);
  insert into event_trigger as t (tenant, definition_id, activity, version, place, name, correlation, filter, since)
  select new.tenant, new.id, a.j ->> 'id', new.published, a.place, a.j -> 'inputs' ->> 'event', a.j -> 'inputs' ->> 'correlation',
         a.j -> 'inputs' -> 'filter' ->> '$expr', v_now
    from json_array_elements(v_activities) with ordinality as a(j, place)
   where a.j ->> 'type' = 'event' and a.j -> 'inputs' ->> 'event' is not null
  on conflict (tenant, definition_id, activity) do update
     set version = excluded.version, place = excluded.place, name = excluded.name, correlation = excluded.correlation, filter = excluded.filter,
         since = case when t.name = excluded.name then t.since else excluded.since end;

  delete from http_endpoint e where e.tenant = new.tenant and e.definition_id = new.id;
  insert into http_endpoint (tenant, method, shape, definition_id, activity, version, segments, inputs)
  select new.tenant, m.method, '/' || array_to_string(p.segments, '/', '{}'), new.id, a.j ->> 'id', new.published, p.segments, a.j -> 'inputs'
    from json_array_elements(v_activities) as a(j)
   cross join lateral (
     select array(select case when s.part ~ '^\{.*\}$' then null else s.part end
                    from unnest(string_to_array(trim(both '/' from a.j -> 'inputs' ->> 'path'), '/')) with ordinality as s(part, n) order by s.n) as segments) p
   cross join lateral (
     select distinct upper(x.method) as method from json_array_elements_text(coalesce(a.j -> 'inputs' -> 'methods', '["POST"]')) as x(method)) m
   where a.j ->> 'type' = 'http-endpoint' and a.j -> 'inputs' ->> 'path' is not null
   order by m.method, 3;
  return null;
end $$;
create trigger definition_binds_triggers after update of published on definition for each row
  when (new.kind = 'graph' and old.published is distinct from new.published)
  execute function lockstep_bind_triggers();

-- Whether the graphs that an event starts were started. Events that start none are settled without it.
alter table event add column triggered boolean not null default false;

-- As in 0004, but an event that has still to start something stays open, so that whoever looks next finds it.
create or replace function lockstep_settle(p_limit integer) returns table (settled integer, matched integer, open integer)
language plpgsql as $$
declare
  v_horizon bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  v_settled integer := 0;
  v_matched integer := 0;
  v_hits integer;
  e record;
begin
  -- What is lost with a crash is found open and done again, all of it: nobody waits for the disk.
  perform set_config('synchronous_commit', 'off', true);
  -- After the commit of the event, hence a transaction of its own: this one.
  update event x set settle_after = pg_current_xact_id()::text::bigint where not x.settled and x.settle_after is null;
  for e in select x.id, x.tenant,
                  x.triggered or x.expires_at <= clock_timestamp() or not exists (select 1 from event_trigger t where t.tenant = x.tenant and t.name = x.name and t.since <= x.published_at
                                                    and (t.correlation is null or t.correlation = x.correlation_id)) as done
             from event x where not x.settled and x.settle_after < v_horizon order by x.published_at limit p_limit loop
    v_hits := lockstep_match(e.tenant, e.id, 500);
    v_matched := v_matched + v_hits;
    if v_hits < 500 and e.done then
      update event x set settled = true where x.id = e.id and x.tenant = e.tenant;
      delete from event_delivery d where d.event_id = e.id;
      v_settled := v_settled + 1;
    end if;
  end loop;
  return query select v_settled, v_matched, (select count(*)::integer from (select 1 from event x where not x.settled limit p_limit) o);
end $$;

-- Puts the end of a piece of work into the inbox of the instance that waits for it. False: it does not wait any more.
create function lockstep_hand_in(p_tenant text, p_bookmark uuid, p_kind text, p_message json) returns boolean
language plpgsql as $$
declare
  b bookmark;
begin
  delete from bookmark x where x.id = p_bookmark and x.tenant = p_tenant returning * into b;
  if b.id is null then
    return false;
  end if;
  insert into inbox (instance_id, tenant, kind, bookmark_id, name, step, payload)
  values (b.instance_id, b.tenant, p_kind, b.id, b.name, b.step, p_message);
  perform lockstep_stimulate(array[b.instance_id]);
  return true;
end $$;

-- Rows that nobody will ask for go, a few with every new one. Those whose instance still waits are looked at again a day later.
create function lockstep_sweep_tasks() returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_ids uuid[];
begin
  v_ids := array(select t.id from task t where t.kept_until < v_now order by t.kept_until limit 20 for update skip locked);
  if cardinality(v_ids) > 0 then
    update task t set kept_until = v_now + interval '1 day'
     where t.id = any (v_ids) and t.status = 'open' and exists (select 1 from bookmark b where b.id = t.id and b.tenant = t.tenant);
    delete from task t where t.id = any (v_ids) and t.kept_until < v_now;
  end if;
  v_ids := array(select t.id from human_task t where t.kept_until < v_now order by t.kept_until limit 20 for update skip locked);
  if cardinality(v_ids) > 0 then
    update human_task t set kept_until = v_now + interval '1 day'
     where t.id = any (v_ids) and t.status = 'open' and exists (select 1 from bookmark b where b.id = t.id and b.tenant = t.tenant);
    delete from human_task t where t.id = any (v_ids) and t.kept_until < v_now;
  end if;
  delete from resume_token r where (r.tenant, r.hash) in (
    select x.tenant, x.hash from resume_token x where x.expires_at < v_now - interval '7 days' order by x.expires_at limit 20 for update skip locked);
end $$;

-- Ends a task for good: what the worker says becomes a message of the instance, or nothing is changed. A null lease is that of whoever holds it.
create function lockstep_end_task(p_tenant text, p_id uuid, p_lease integer, p_status text, p_message json) returns text
language plpgsql as $$
declare
  t task;
begin
  select * into t from task x where x.tenant = p_tenant and x.id = p_id for update;
  if not found then
    return 'not-found';
  end if;
  if t.status <> 'open' then
    return case when t.status = 'cancelled' then 'cancelled' else 'already-completed' end;
  end if;
  if p_lease is not null and (t.lease_no <> p_lease or t.due_at <= (select clock_timestamp())) then
    return case when exists (select 1 from bookmark b where b.id = p_id and b.tenant = p_tenant) then 'lease-lost' else 'cancelled' end;
  end if;
  if not lockstep_hand_in(p_tenant, p_id, 'task', p_message) then
    update task x set status = 'cancelled', payload = null, ended_at = clock_timestamp(), kept_until = clock_timestamp() + interval '7 days'
     where x.tenant = p_tenant and x.id = p_id;
    return 'cancelled';
  end if;
  update task x set status = p_status, payload = null, ended_at = clock_timestamp(), kept_until = clock_timestamp() + interval '7 days'
   where x.tenant = p_tenant and x.id = p_id;
  return 'done';
end $$;

-- Hands tasks to a worker, the longest waiting first. Those that nobody waits for any more are put away on the way; those whose last allowed
-- worker fell silent fail. Every claim raises the lease number: an earlier holder cannot end the task any more.
create function lockstep_claim_tasks(p_tenant text, p_queue text, p_names text[], p_limit integer, p_lease float8, p_worker text, p_abandoned json)
returns setof task
language plpgsql as $$
declare
  v_now timestamptz;
  v_ids uuid[];
  v_live uuid[];
  v_spent uuid[];
  v_id uuid;
begin
  loop
    v_now := clock_timestamp();
    v_ids := array(
      select d.id from (
        -- One answer holds at most 4 MB of payloads, and at least one task.
        select t.id, t.due_at, t.bytes, sum(t.bytes) over (order by t.due_at, t.id) as total
          from unnest(p_names) as n(name)
         cross join lateral (
           select x.id, x.due_at, octet_length(x.payload::text) as bytes from task x
            where x.tenant = p_tenant and x.queue = p_queue and x.name = n.name and x.status = 'open' and x.due_at <= v_now
            order by x.due_at limit p_limit for update skip locked) t) d
       where d.total - d.bytes < 4194304
       order by d.due_at, d.id limit p_limit);
    exit when cardinality(v_ids) = 0;
    v_live := array(select b.id from bookmark b where b.id = any (v_ids) and b.tenant = p_tenant);
    if cardinality(v_live) < cardinality(v_ids) then
      update task x set status = 'cancelled', payload = null, ended_at = v_now, kept_until = v_now + interval '7 days'
       where x.tenant = p_tenant and x.id = any (v_ids) and not (x.id = any (v_live));
    end if;
    v_spent := array(select x.id from task x where x.tenant = p_tenant and x.id = any (v_live) and x.lease_no >= x.most_claims order by x.instance_id);
    foreach v_id in array v_spent loop
      perform lockstep_end_task(p_tenant, v_id, null, 'failed', p_abandoned);
    end loop;
    if cardinality(v_live) > cardinality(v_spent) then
      return query
        update task x set lease_no = x.lease_no + 1, due_at = v_now + coalesce(p_lease, x.lease_ms) * interval '1 millisecond', worker = p_worker
         where x.tenant = p_tenant and x.id = any (v_live) and x.status = 'open'
        returning x.*;
      exit;
    end if;
  end loop;
end $$;

-- Extends the lease of the worker that holds it, and keeps what it says of its progress.
create function lockstep_beat_task(p_tenant text, p_id uuid, p_lease integer, p_lease_ms float8, p_progress json) returns text
language plpgsql as $$
declare
  t task;
begin
  select * into t from task x where x.tenant = p_tenant and x.id = p_id for update;
  if not found then
    return 'not-found';
  end if;
  if t.status <> 'open' then
    return case when t.status = 'cancelled' then 'cancelled' else 'already-completed' end;
  end if;
  if not exists (select 1 from bookmark b where b.id = p_id and b.tenant = p_tenant) then
    return 'cancelled';
  end if;
  if t.lease_no <> p_lease or t.due_at <= (select clock_timestamp()) then
    return 'lease-lost';
  end if;
  update task x set due_at = clock_timestamp() + coalesce(p_lease_ms, x.lease_ms) * interval '1 millisecond', progress = coalesce(p_progress, x.progress)
   where x.tenant = p_tenant and x.id = p_id;
  return 'done';
end $$;

-- Ends the work of a person. The first one counts.
create function lockstep_end_human_task(p_tenant text, p_id uuid, p_outcome text, p_by text, p_message json, p_token text) returns text
language plpgsql as $$
declare
  t human_task;
begin
  select * into t from human_task x where x.tenant = p_tenant and x.id = p_id for update;
  if not found then
    return 'not-found';
  end if;
  if t.status <> 'open' then
    return case when t.status = 'cancelled' then 'cancelled' else 'already-completed' end;
  end if;
  if not lockstep_hand_in(p_tenant, p_id, 'human', p_message) then
    update human_task x set status = 'cancelled', ended_at = clock_timestamp(), kept_until = clock_timestamp() + interval '7 days'
     where x.tenant = p_tenant and x.id = p_id;
    return 'cancelled';
  end if;
  update human_task x
     set status = 'completed', outcome = p_outcome, completed_by = p_by, ended_at = clock_timestamp(), kept_until = clock_timestamp() + interval '7 days'
   where x.tenant = p_tenant and x.id = p_id;
  update resume_token r set used_at = clock_timestamp() where r.tenant = p_tenant and r.hash = p_token;
  return 'done';
end $$;
