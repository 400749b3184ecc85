-- 0006_leases.sql  Leases, their queues and what watches them (DESIGN §4). New tables and functions only: no lock on anything that exists.
-- Each name in use is one row of lease_lock, and whoever changes anything about a name locks that row first: names in one order, so nothing deadlocks,
-- and every later statement of a function sees what the last holder of the row committed. Time is clock_timestamp() after the lock was had, never now().
-- A mutex lives in its row alone. Readers, writers and permits are rows of lease_holder beneath it; whoever waits for any kind is a row of lease_waiter.
-- A free row stays for a while, so that taking and releasing a mutex again and again is two HOT updates; the sweeper removes it when it was idle.
-- The fence does not live in it. Only resized limits, bounded history and fence guards stay.
-- Functions turn sequential scans off for their own transaction: statistics that call a table empty would otherwise make plans that walk it later.

-- Strictly rising over crashes and over removed rows. A step of 64, so that the blocks people ask for cost one number; it begins at the
-- microseconds of its creation, so that a schema that was made anew does not begin below the old one. No cache: sessions would take turns.
create sequence lease_fence increment by 64;
select setval('lease_fence', (extract(epoch from clock_timestamp()) * 1000000)::bigint);
create sequence lease_place;

-- token … expires_at: of a mutex. waiting: rows of lease_waiter, dead ones among them. max: of a semaphore. phase: who went in last, 'read' or 'write'.
-- idle_since: when it was last left free. Taking, renewing, releasing and handing over are HOT: no index on what changes.
create table lease_lock (
  namespace   text collate "C" not null,
  name        text collate "C" not null,
  kind        text not null check (kind in ('mutex', 'read-write', 'semaphore')),
  token       text,
  fence       bigint,
  acquired_at timestamptz,
  expires_at  timestamptz,
  waiting     integer not null default 0,
  max         integer,
  phase       text,
  idle_since  timestamptz,
  tell        text,
  holder      text,
  primary key (namespace, name)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create table lease_holder (
  namespace   text collate "C" not null,
  name        text collate "C" not null,
  token       text collate "C" not null,
  share       text not null check (share in ('read', 'write', 'permits')),
  weight      integer not null,
  fence       bigint not null,
  acquired_at timestamptz not null,
  expires_at  timestamptz not null,
  tell        text,
  holder      text not null,
  primary key (namespace, name, token)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- place: order of arrival, taken while lease_lock is locked. channel: where the grant is sent; tell: where the holder is told of a break.
create table lease_waiter (
  namespace   text collate "C" not null,
  name        text collate "C" not null,
  token       text collate "C" not null,
  share       text not null,
  weight      integer not null,
  priority    integer not null,
  place       bigint not null default nextval('lease_place'),
  since       timestamptz not null,
  alive_until timestamptz not null,
  grant_ms    float8 not null,
  fence_count integer not null,
  channel     text not null,
  tell        text,
  holder      text not null,
  primary key (namespace, name, token)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index lease_waiter_in_order on lease_waiter (namespace, name, priority desc, place);

-- Permits of a semaphore, set for good.
create table lease_limit (
  namespace text collate "C" not null,
  name      text collate "C" not null,
  max       integer not null,
  primary key (namespace, name)
);

-- Hand-overs, losses and breaks; not the quick grants and releases that nobody waited for, which would cost as much as the lease itself.
-- The last 32 of each name, the last 100,000 in all (the sweeper); breaks for 90 days, whatever comes after them.
create table lease_event (
  namespace text collate "C" not null,
  name      text collate "C" not null,
  id        bigint generated always as identity,
  at        timestamptz not null,
  kind      text not null check (kind in ('granted', 'released', 'expired', 'broken')),
  holder    text not null,
  fence     bigint not null,
  reason    text,
  by        text,
  primary key (namespace, name, id)
);
create index lease_event_by_age on lease_event (id);

create table coordination_member (
  namespace  text collate "C" not null,
  id         text collate "C" not null,
  name       text not null,
  pid        integer not null,
  host       text not null,
  expires_at timestamptz not null,
  primary key (namespace, id)
) with (fillfactor = 50);

-- The highest fence that a resource has seen. Rows are the caller's: one for each resource it guards.
create table fence_guard (
  resource text collate "C" primary key,
  fence    bigint not null,
  seen_at  timestamptz not null
) with (fillfactor = 50);

-- Everything that is held, dead or alive.
create view lease_held as
  select namespace, name, token, 'mutex' as share, 1 as weight, fence, acquired_at, expires_at, tell, holder from lease_lock where token is not null
  union all
  select namespace, name, token, share, weight, fence, acquired_at, expires_at, tell, holder from lease_holder;

-- The first of `p_count` numbers that no grant of this name had or will have. To be called with the name's row locked: numbers of
-- other names may lie between, which is no harm.
create function lockstep_lease_fence(p_count integer) returns bigint
language plpgsql as $$
declare
  v_first bigint := nextval('lease_fence');
begin
  for step in 2 .. (p_count + 63) / 64 loop
    perform nextval('lease_fence');
  end loop;
  return v_first;
end $$;

create function lockstep_lease_ms(p_at timestamptz) returns float8
language sql stable as $$ select extract(epoch from p_at)::float8 * 1000 $$;

create function lockstep_lease_record(
  p_ns text, p_name text, p_at timestamptz, p_kind text, p_holder text, p_fence bigint, p_reason text default null, p_by text default null
) returns void
language plpgsql as $$
begin
  insert into lease_event (namespace, name, at, kind, holder, fence, reason, by) values (p_ns, p_name, p_at, p_kind, p_holder, p_fence, p_reason, p_by);
  delete from lease_event e
   where e.namespace = p_ns and e.name = p_name and e.kind <> 'broken'
     and e.id < (select o.id from lease_event o where o.namespace = p_ns and o.name = p_name order by o.id desc offset 31 limit 1);
end $$;

create function lockstep_lease_tell_granted(p_channel text, p_name text, p_token text, p_fence bigint, p_now timestamptz) returns void
language sql as $$
  select pg_notify(p_channel, json_build_object('kind', 'granted', 'name', p_name, 'token', p_token, 'fence', p_fence::text, 'at', lockstep_lease_ms(p_now))::text)
$$;

-- A place becomes a holder (not of a mutex). Whoever is just asking learns it from the answer.
create function lockstep_lease_hand(w lease_waiter, p_asker text, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_fence bigint := lockstep_lease_fence(w.fence_count);
begin
  delete from lease_waiter x where x.namespace = w.namespace and x.name = w.name and x.token = w.token;
  insert into lease_holder (namespace, name, token, share, weight, fence, acquired_at, expires_at, tell, holder)
  values (w.namespace, w.name, w.token, w.share, w.weight, v_fence, p_now, p_now + w.grant_ms * interval '1 millisecond', w.tell, w.holder);
  if w.token is distinct from p_asker then
    perform lockstep_lease_tell_granted(w.channel, w.name, w.token, v_fence, p_now);
  end if;
  perform lockstep_lease_record(w.namespace, w.name, p_now, 'granted', w.holder, v_fence);
end $$;

-- Ends what has ended and hands on what is free, so that afterwards those who still wait must wait. The caller has the row locked. Readers and writers are phase-fair: after a writer all readers that wait, after readers the next writer.
create function lockstep_lease_settle(p_ns text, p_name text, p_asker text, p_now timestamptz) returns void
language plpgsql as $$
declare
  l lease_lock;
  h lease_holder;
  w lease_waiter;
  v_waiting integer;
  v_dead integer;
  v_fence bigint;
  v_used bigint;
  v_writers integer;
  v_readers integer;
  v_readers_wait boolean;
  v_writers_wait boolean;
begin
  select * into l from lease_lock x where x.namespace = p_ns and x.name = p_name;
  if l.token is not null then
    if l.expires_at > p_now then
      return;
    end if;
    perform lockstep_lease_record(p_ns, p_name, p_now, 'expired', l.holder, l.fence);
  end if;
  v_waiting := l.waiting;
  if v_waiting > 0 then
    delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.alive_until <= p_now;
    get diagnostics v_dead = row_count;
    v_waiting := v_waiting - v_dead;
  end if;

  if l.kind = 'mutex' then
    if v_waiting > 0 then
      select * into w from lease_waiter x where x.namespace = p_ns and x.name = p_name order by x.priority desc, x.place limit 1;
      delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token = w.token;
      v_fence := lockstep_lease_fence(w.fence_count);
      update lease_lock x
         set token = w.token, fence = v_fence, acquired_at = p_now, expires_at = p_now + w.grant_ms * interval '1 millisecond',
             waiting = v_waiting - 1, tell = w.tell, holder = w.holder
       where x.namespace = p_ns and x.name = p_name;
      if w.token is distinct from p_asker then
        perform lockstep_lease_tell_granted(w.channel, p_name, w.token, v_fence, p_now);
      end if;
      perform lockstep_lease_record(p_ns, p_name, p_now, 'granted', w.holder, v_fence);
    elsif l.token is not null or l.waiting > 0 then
      update lease_lock x set token = null, expires_at = null, waiting = 0, idle_since = p_now, tell = null, holder = null
       where x.namespace = p_ns and x.name = p_name;
    end if;
    return;
  end if;

  for h in delete from lease_holder x where x.namespace = p_ns and x.name = p_name and x.expires_at <= p_now returning x.* loop
    perform lockstep_lease_record(p_ns, p_name, p_now, 'expired', h.holder, h.fence);
  end loop;
  if v_waiting > 0 then
    select coalesce(sum(x.weight), 0), count(*) filter (where x.share = 'write'), count(*) filter (where x.share = 'read')
      into v_used, v_writers, v_readers from lease_holder x where x.namespace = p_ns and x.name = p_name;
    if l.kind = 'semaphore' then
      for w in select * from lease_waiter x where x.namespace = p_ns and x.name = p_name order by x.priority desc, x.place loop
        -- It can never be served: it learns so when it asks again, and stands in nobody's way until then.
        continue when w.weight > l.max;
        exit when v_used + w.weight > l.max;
        perform lockstep_lease_hand(w, p_asker, p_now);
        v_used := v_used + w.weight;
        v_waiting := v_waiting - 1;
      end loop;
    elsif v_writers = 0 then
      select coalesce(bool_or(x.share = 'read'), false), coalesce(bool_or(x.share = 'write'), false)
        into v_readers_wait, v_writers_wait from lease_waiter x where x.namespace = p_ns and x.name = p_name;
      if v_readers_wait and (l.phase = 'write' or not v_writers_wait) then
        for w in select * from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.share = 'read' order by x.priority desc, x.place loop
          perform lockstep_lease_hand(w, p_asker, p_now);
          v_waiting := v_waiting - 1;
        end loop;
        l.phase := 'read';
      elsif v_readers = 0 and v_writers_wait then
        select * into w from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.share = 'write' order by x.priority desc, x.place limit 1;
        perform lockstep_lease_hand(w, p_asker, p_now);
        v_waiting := v_waiting - 1;
        l.phase := 'write';
      end if;
    end if;
  end if;
  if v_waiting <> l.waiting then
    update lease_lock x set waiting = v_waiting, phase = l.phase where x.namespace = p_ns and x.name = p_name;
  end if;
end $$;

create function lockstep_lease_is_idle(p_ns text, p_name text) returns boolean
language sql as $$
  select not exists (select from lease_lock l where l.namespace = p_ns and l.name = p_name and (l.token is not null or l.waiting > 0))
     and not exists (select from lease_holder h where h.namespace = p_ns and h.name = p_name)
$$;

-- Locks the row of a name, which it makes when there is none.
create function lockstep_lease_enter(p_ns text, p_name text, p_kind text) returns lease_lock
language plpgsql as $$
declare
  l lease_lock;
begin
  loop
    insert into lease_lock (namespace, name, kind) values (p_ns, p_name, p_kind) on conflict do nothing;
    select * into l from lease_lock x where x.namespace = p_ns and x.name = p_name for update;
    -- Removed between the two: it is free now, and ours to make.
    exit when found;
  end loop;
  return l;
end $$;

-- One request, whatever its kind. o_fence: granted; else o_detail says why not. p_channel is null for somebody who would not wait.
create function lockstep_lease_ask(
  p_ns text, p_name text, p_token text, p_share text, p_weight integer, p_max integer, p_ttl float8, p_count integer, p_holder text, p_tell text,
  p_channel text, p_priority integer, p_alive float8, p_grant float8, out o_fence bigint, out o_detail json
)
language plpgsql as $$
declare
  v_kind text := case p_share when 'mutex' then 'mutex' when 'permits' then 'semaphore' else 'read-write' end;
  v_channel text := p_channel;
  v_placed boolean := false;
  v_now timestamptz;
  v_ends timestamptz;
  v_max integer;
  v_used bigint;
  v_holders integer;
  v_writers integer;
  v_ahead bigint;
  l lease_lock;
  h lease_holder;
begin
  l := lockstep_lease_enter(p_ns, p_name, v_kind);
  v_now := clock_timestamp();
  v_ends := v_now + p_ttl * interval '1 millisecond';

  if l.waiting > 0 then
    if v_channel is null then
      delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token = p_token;
      if found then
        update lease_lock x set waiting = x.waiting - 1 where x.namespace = p_ns and x.name = p_name;
      end if;
    else
      -- Whoever asks lives, so it is not passed over just below.
      update lease_waiter x
         set alive_until = v_now + p_alive * interval '1 millisecond', grant_ms = p_grant, channel = v_channel, tell = p_tell, holder = p_holder
       where x.namespace = p_ns and x.name = p_name and x.token = p_token;
      v_placed := found;
    end if;
  end if;
  if v_kind = 'semaphore' then
    select coalesce((select x.max from lease_limit x where x.namespace = p_ns and x.name = p_name), p_max) into v_max;
    if l.kind = 'semaphore' and l.max is distinct from v_max then
      update lease_lock x set max = v_max where x.namespace = p_ns and x.name = p_name;
    end if;
    if p_weight > v_max and v_placed and l.kind = 'semaphore' then
      delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token = p_token;
      update lease_lock x set waiting = x.waiting - 1 where x.namespace = p_ns and x.name = p_name;
    end if;
  end if;

  perform lockstep_lease_settle(p_ns, p_name, p_token, v_now);
  select * into l from lease_lock x where x.namespace = p_ns and x.name = p_name;
  if l.kind <> 'mutex' or v_kind <> 'mutex' then
    select coalesce(sum(x.weight), 0), count(*), count(*) filter (where x.share = 'write')
      into v_used, v_holders, v_writers from lease_holder x where x.namespace = p_ns and x.name = p_name;
  end if;

  if l.kind <> v_kind then
    if l.token is not null or l.waiting > 0 or v_holders > 0 then
      o_detail := json_build_object('status', 'wrong-kind', 'inUseAs', l.kind);
      return;
    end if;
    update lease_lock x set kind = v_kind, max = v_max, phase = null where x.namespace = p_ns and x.name = p_name;
    l.kind := v_kind;
  end if;

  if v_kind = 'mutex' then
    if l.token = p_token then
      update lease_lock x set expires_at = v_ends where x.namespace = p_ns and x.name = p_name;
      o_fence := l.fence;
      return;
    elsif l.token is null then
      o_fence := lockstep_lease_fence(p_count);
      update lease_lock x set token = p_token, fence = o_fence, acquired_at = v_now, expires_at = v_ends, tell = p_tell, holder = p_holder
       where x.namespace = p_ns and x.name = p_name;
      return;
    end if;
    h.holder := l.holder;
    h.expires_at := l.expires_at;
  else
    select * into h from lease_holder x where x.namespace = p_ns and x.name = p_name and x.token = p_token;
    -- What is held stays held, however small the lock has become meanwhile.
    if p_weight > v_max and h.weight is distinct from p_weight then
      o_detail := json_build_object('status', 'too-heavy', 'max', v_max);
      return;
    end if;
    if h.token is not null then
      v_channel := null;
      if h.share = p_share and h.weight = p_weight then
        update lease_holder x set expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        o_fence := h.fence;
      elsif p_share = 'read' then
        update lease_holder x set share = 'read', expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        -- The row still says that a writer went in last: its phase is over, so the readers that wait go in.
        perform lockstep_lease_settle(p_ns, p_name, p_token, v_now);
        update lease_lock x set phase = 'read' where x.namespace = p_ns and x.name = p_name;
        o_fence := h.fence;
      elsif p_share = 'write' and v_holders = 1 then
        o_fence := lockstep_lease_fence(p_count);
        update lease_holder x set share = 'write', fence = o_fence, expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        update lease_lock x set phase = 'write' where x.namespace = p_ns and x.name = p_name;
      elsif p_share = 'permits' and (p_weight < h.weight or v_used - h.weight + p_weight <= v_max) then
        update lease_holder x set weight = p_weight, expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        perform lockstep_lease_settle(p_ns, p_name, p_token, v_now);
        o_fence := h.fence;
      end if;
    -- Whoever became too heavy waits for nothing, and stands in nobody's way.
    elsif (l.waiting = 0 or v_kind = 'semaphore' and not exists (
             select from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token <> p_token and x.weight <= v_max))
          and (case p_share when 'read' then v_writers = 0 when 'write' then v_holders = 0 else v_used + p_weight <= v_max end) then
      o_fence := lockstep_lease_fence(p_count);
      insert into lease_holder (namespace, name, token, share, weight, fence, acquired_at, expires_at, tell, holder)
      values (p_ns, p_name, p_token, p_share, p_weight, o_fence, v_now, v_ends, p_tell, p_holder);
      if v_kind = 'read-write' and l.phase is distinct from p_share then
        update lease_lock x set phase = p_share where x.namespace = p_ns and x.name = p_name;
      end if;
    end if;
    if o_fence is not null then
      return;
    end if;
    select * into h from lease_holder x where x.namespace = p_ns and x.name = p_name and x.token <> p_token order by x.expires_at limit 1;
  end if;

  if v_channel is not null then
    if not v_placed then
      insert into lease_waiter (namespace, name, token, share, weight, priority, since, alive_until, grant_ms, fence_count, channel, tell, holder)
      values (p_ns, p_name, p_token, p_share, p_weight, p_priority, v_now, v_now + p_alive * interval '1 millisecond', p_grant, p_count, v_channel, p_tell, p_holder);
      update lease_lock x set waiting = x.waiting + 1 where x.namespace = p_ns and x.name = p_name;
    end if;
    select count(*) into v_ahead
      from lease_waiter me
      join lease_waiter x on x.namespace = p_ns and x.name = p_name and x.alive_until > v_now
       and (x.priority > me.priority or x.priority = me.priority and x.place < me.place)
     where me.namespace = p_ns and me.name = p_name and me.token = p_token;
  end if;
  o_detail := json_build_object('status', case when v_channel is null then 'busy' else 'queued' end, 'ahead', v_ahead,
                                'holder', h.holder, 'leftMs', lockstep_lease_ms(h.expires_at) - lockstep_lease_ms(v_now));
end $$;

-- Many requests, sorted by name; arrays run in parallel. o_details is null when everything was granted.
create function lockstep_lease_acquire(
  p_ns text, p_names text[], p_tokens text[], p_shares text[], p_weights integer[], p_maxes integer[], p_ttls float8[], p_counts integer[],
  p_holders text[], p_tells text[], p_channels text[], p_priorities integer[], p_alives float8[], p_grants float8[]
) returns table (at float8, fences bigint[], details json[])
language plpgsql as $$
declare
  v_fences bigint[] := '{}';
  v_details json[];
  v_fence bigint;
  v_detail json;
begin
  perform set_config('enable_seqscan', 'off', true);
  for i in 1 .. cardinality(p_names) loop
    v_fence := null;
    if p_shares[i] = 'mutex' then
      insert into lease_lock as x (namespace, name, kind, token, fence, acquired_at, expires_at, tell, holder)
      values (p_ns, p_names[i], 'mutex', p_tokens[i], 0, clock_timestamp(), clock_timestamp() + p_ttls[i] * interval '1 millisecond', p_tells[i], p_holders[i])
      on conflict (namespace, name) do update
         set token = excluded.token, acquired_at = clock_timestamp(), expires_at = clock_timestamp() + p_ttls[i] * interval '1 millisecond',
             fence = case when p_counts[i] <= 64 then nextval('lease_fence') else lockstep_lease_fence(p_counts[i]) end,
             tell = excluded.tell, holder = excluded.holder
       where x.kind = 'mutex' and x.token is null and x.waiting = 0
      returning x.fence into v_fence;
      if v_fence = 0 then
        -- A new row. Its number is taken only now: while the insert waited, a later one can have come and gone with another's lease.
        update lease_lock x set fence = lockstep_lease_fence(p_counts[i]) where x.namespace = p_ns and x.name = p_names[i] returning x.fence into v_fence;
      end if;
    end if;
    if v_fence is null then
      select a.o_fence, a.o_detail into v_fence, v_detail
        from lockstep_lease_ask(p_ns, p_names[i], p_tokens[i], p_shares[i], p_weights[i], p_maxes[i], p_ttls[i], p_counts[i], p_holders[i],
                                p_tells[i], p_channels[i], p_priorities[i], p_alives[i], p_grants[i]) a;
      if v_fence is null then
        v_details := coalesce(v_details, array_fill(null::json, array[cardinality(p_names)]));
        v_details[i] := v_detail;
      end if;
    end if;
    v_fences[i] := v_fence;
  end loop;
  return query select lockstep_lease_ms(clock_timestamp()), v_fences, v_details;
end $$;

-- All or none. What was granted on the way is undone with everything that asking for it changed: locks, hand-overs, messages.
create function lockstep_lease_acquire_together(
  p_ns text, p_names text[], p_tokens text[], p_shares text[], p_weights integer[], p_maxes integer[], p_ttls float8[], p_counts integer[],
  p_holders text[], p_tells text[]
) returns table (at float8, fences bigint[], details json[])
language plpgsql as $$
declare
  v_fences bigint[] := '{}';
  v_details json[];
  v_fence bigint;
  v_detail json;
begin
  perform set_config('enable_seqscan', 'off', true);
  begin
    for i in 1 .. cardinality(p_names) loop
      select a.o_fence, a.o_detail into v_fence, v_detail
        from lockstep_lease_ask(p_ns, p_names[i], p_tokens[i], p_shares[i], p_weights[i], p_maxes[i], p_ttls[i], p_counts[i], p_holders[i],
                                p_tells[i], null, null, null, null) a;
      v_fences[i] := v_fence;
      if v_fence is null then
        v_details := coalesce(v_details, array_fill(null::json, array[cardinality(p_names)]));
        v_details[i] := v_detail;
      end if;
    end loop;
    if v_details is not null then
      raise exception 'not all of them' using errcode = 'LS010';
    end if;
  exception when sqlstate 'LS010' then
    null;
  end;
  return query select lockstep_lease_ms(clock_timestamp()), v_fences, v_details;
end $$;

-- Many leases, sorted by name. One row each, HOT.
create function lockstep_lease_renew(p_ns text, p_names text[], p_tokens text[], p_mutex boolean[], p_ttls float8[]) returns table (at float8, renewed boolean[])
language plpgsql as $$
declare
  v_renewed boolean[] := '{}';
begin
  perform set_config('enable_seqscan', 'off', true);
  for i in 1 .. cardinality(p_names) loop
    if p_mutex[i] then
      update lease_lock x set expires_at = clock_timestamp() + p_ttls[i] * interval '1 millisecond'
       where x.namespace = p_ns and x.name = p_names[i] and x.token = p_tokens[i] and x.expires_at > clock_timestamp();
    else
      update lease_holder x set expires_at = clock_timestamp() + p_ttls[i] * interval '1 millisecond'
       where x.namespace = p_ns and x.name = p_names[i] and x.token = p_tokens[i] and x.expires_at > clock_timestamp();
    end if;
    v_renewed[i] := found;
  end loop;
  return query select lockstep_lease_ms(clock_timestamp()), v_renewed;
end $$;

-- Ends a lease or a place, and hands on. False: there was nothing alive of it.
create function lockstep_lease_end(p_ns text, p_name text, p_token text) returns boolean
language plpgsql as $$
declare
  l lease_lock;
  h lease_holder;
  v_now timestamptz;
  v_alive boolean;
begin
  select * into l from lease_lock x where x.namespace = p_ns and x.name = p_name for update;
  if not found then
    return false;
  end if;
  v_now := clock_timestamp();
  if l.token = p_token then
    v_alive := l.expires_at > v_now;
    if v_alive then
      perform lockstep_lease_record(p_ns, p_name, v_now, 'released', l.holder, l.fence);
      update lease_lock x set token = null, expires_at = null, idle_since = v_now, tell = null, holder = null
       where x.namespace = p_ns and x.name = p_name;
    end if;
  else
    delete from lease_holder x where x.namespace = p_ns and x.name = p_name and x.token = p_token returning x.* into h;
    if found then
      v_alive := h.expires_at > v_now;
      if l.waiting > 0 or not v_alive then
        perform lockstep_lease_record(p_ns, p_name, v_now, case when v_alive then 'released' else 'expired' end, h.holder, h.fence);
      end if;
    else
      delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token = p_token returning x.alive_until > v_now into v_alive;
      if not found then
        return false;
      end if;
      update lease_lock x set waiting = x.waiting - 1 where x.namespace = p_ns and x.name = p_name;
    end if;
  end if;
  perform lockstep_lease_settle(p_ns, p_name, null, v_now);
  return v_alive;
end $$;

-- Many leases or places, sorted by name. A mutex that nobody waits for is one updated row; a waiter that comes meanwhile makes the update miss it.
-- When nothing was handed on, nobody waits for the disk: a crash that loses the release leaves a lease that ends by itself.
create function lockstep_lease_release(p_ns text, p_names text[], p_tokens text[], p_mutex boolean[]) returns table (at float8, released boolean[])
language plpgsql as $$
declare
  v_released boolean[] := '{}';
  v_quick boolean := true;
begin
  perform set_config('enable_seqscan', 'off', true);
  for i in 1 .. cardinality(p_names) loop
    if p_mutex[i] then
      update lease_lock x set token = null, expires_at = null, idle_since = clock_timestamp(), tell = null, holder = null
       where x.namespace = p_ns and x.name = p_names[i] and x.token = p_tokens[i] and x.waiting = 0 and x.expires_at > clock_timestamp();
      if found then
        v_released[i] := true;
        continue;
      end if;
    end if;
    v_released[i] := lockstep_lease_end(p_ns, p_names[i], p_tokens[i]);
    v_quick := false;
  end loop;
  if v_quick then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  return query select lockstep_lease_ms(clock_timestamp()), v_released;
end $$;

-- Ends every lease of a name, tells the holders, and hands on to those who wait.
create function lockstep_lease_break(p_ns text, p_name text, p_reason text, p_by text)
returns table (token text, share text, weight integer, max integer, fence text, acquired_at timestamptz, expires_at timestamptz, holder text)
language plpgsql as $$
declare
  l lease_lock;
  h lease_held;
  v_now timestamptz;
begin
  select * into l from lease_lock x where x.namespace = p_ns and x.name = p_name for update;
  if not found then
    return;
  end if;
  v_now := clock_timestamp();
  perform lockstep_lease_fence(1);
  for h in select * from lease_held x where x.namespace = p_ns and x.name = p_name and x.expires_at > v_now order by x.fence loop
    perform lockstep_lease_record(p_ns, p_name, v_now, 'broken', h.holder, h.fence, p_reason, p_by);
    if h.tell is not null then
      perform pg_notify(h.tell, json_build_object('kind', 'revoked', 'name', p_name, 'token', h.token, 'reason', left(p_reason, 500))::text);
    end if;
    delete from lease_holder x where x.namespace = p_ns and x.name = p_name and x.token = h.token;
    update lease_lock x set token = null, expires_at = null, idle_since = v_now, tell = null, holder = null
     where x.namespace = p_ns and x.name = p_name and x.token = h.token;
    return query select h.token, h.share, h.weight, l.max, h.fence::text, h.acquired_at, h.expires_at, h.holder;
  end loop;
  perform lockstep_lease_settle(p_ns, p_name, null, v_now);
end $$;

-- Sets the permits for good. Answers the kind in the way when the name is in use as another.
create function lockstep_lease_resize(p_ns text, p_name text, p_max integer) returns text
language plpgsql as $$
declare
  l lease_lock;
  v_now timestamptz;
begin
  -- With the row locked, also when nobody uses the name: a request under way must not go on with the old number.
  l := lockstep_lease_enter(p_ns, p_name, 'semaphore');
  v_now := clock_timestamp();
  if l.kind <> 'semaphore' then
    perform lockstep_lease_settle(p_ns, p_name, null, v_now);
    if not lockstep_lease_is_idle(p_ns, p_name) then
      return l.kind;
    end if;
  end if;
  insert into lease_limit as x (namespace, name, max) values (p_ns, p_name, p_max) on conflict (namespace, name) do update set max = excluded.max;
  update lease_lock x set kind = 'semaphore', max = p_max where x.namespace = p_ns and x.name = p_name;
  perform lockstep_lease_settle(p_ns, p_name, null, v_now);
  return null;
end $$;

-- Looks at the next `p_limit` names: settles leases that have ended, so that nothing of a dead process stays for ever, and removes rows that were
-- free for `p_idle` milliseconds. Answers where to go on, null at the end. Also takes events beyond the newest `p_events`, and members long gone.
create function lockstep_lease_sweep(p_ns text, p_after text, p_limit integer, p_idle float8, p_events bigint) returns text
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_seen integer;
  v_last text;
  v_names text[];
  v_name text;
  l lease_lock;
begin
  perform set_config('enable_seqscan', 'off', true);
  select count(*), max(s.name), array_agg(s.name order by s.name) filter (where s.token is null or s.expires_at <= v_now) into v_seen, v_last, v_names
    from (select * from lease_lock x where x.namespace = p_ns and x.name > p_after order by x.name limit p_limit) s;
  foreach v_name in array coalesce(v_names, '{}') loop
    -- Somebody is at it: another time.
    select * into l from lease_lock x where x.namespace = p_ns and x.name = v_name for update skip locked;
    continue when not found;
    perform lockstep_lease_settle(p_ns, v_name, null, clock_timestamp());
    if coalesce(l.idle_since, '-infinity') <= v_now - p_idle * interval '1 millisecond' and lockstep_lease_is_idle(p_ns, v_name) then
      delete from lease_lock x where x.namespace = p_ns and x.name = v_name;
    end if;
  end loop;
  delete from lease_event e
   where e.id in (
     select o.id from lease_event o
      where o.id < (select max(n.id) - p_events from lease_event n) and (o.kind <> 'broken' or o.at < v_now - interval '90 days')
      order by o.id limit 20000 for update skip locked);
  delete from coordination_member m
   where (m.namespace, m.id) in (
     select o.namespace, o.id from coordination_member o
      where o.namespace = p_ns and o.expires_at < v_now - interval '1 minute' limit 1000 for update skip locked);
  return case when v_seen = p_limit then v_last end;
end $$;

-- Takes an advisory lock until the transaction ends. False: it was not free in time, and the transaction is as it was. p_wait: null for as long
-- as the session's lock_timeout says. The block is a savepoint: a refusal undoes the setting and whatever was had of the lock.
create function lockstep_transaction_lock(p_key bigint, p_wait integer) returns boolean
language plpgsql as $$
declare
  v_before text := current_setting('lock_timeout');
begin
  if p_wait = 0 then
    return pg_try_advisory_xact_lock(p_key);
  end if;
  begin
    if p_wait is not null then
      perform set_config('lock_timeout', p_wait::text, true);
    end if;
    perform pg_advisory_xact_lock(p_key);
    perform set_config('lock_timeout', v_before, true);
    return true;
  exception when lock_not_available then
    return false;
  end;
end $$;
