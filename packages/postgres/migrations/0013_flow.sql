-- 0013_flow.sql  Durable flow control of starts (DESIGN §3, ADR 0005). Lock: definition and instance, briefly, for a column and a trigger each.
-- A definition under a policy has its revision in definition.flow; the commit functions leave such starts alone, and the node sends them here.
-- Whoever decides about a definition holds its row of flow_policy: every later statement sees what the last one to hold it committed, so
-- that counting rows is enough. Slots are rows: a ticket stands while its instance lives, and goes in the commit that ends it.
-- Order of locks: definition (only to change a policy), flow_policy (sorted), node, flow_ticket, flow_lane, instance, inbox, agenda. The policy
-- comes before the node: it may be held by a transaction of the user's, and a node's row is never held across that.
-- A start that waits has an instance row and no turn: its queue is 'flow', which no worker claims, so that messages cannot run it.

alter table definition add column flow integer;
-- Keys of singleton, concurrency and rate. Null: not under control.
alter table instance add column flow text[];

-- declared: by the published document or the code. chosen: at run time; {} is no policy at all. policy: the one in force.
create table flow_policy (
  tenant        text not null,
  definition_id text not null,
  revision      integer not null default 0,
  declared      jsonb,
  declared_by   integer,
  chosen        jsonb,
  policy        jsonb,
  turn          bigint not null default 0,
  updated_at    timestamptz not null default clock_timestamp(),
  primary key (tenant, definition_id)
) with (fillfactor = 50);

-- One row per start under control until its instance has ended. rank: when it came, earlier by its priority: that order never changes.
create table flow_ticket (
  tenant        text not null,
  instance_id   uuid not null,
  definition_id text not null,
  state         text not null check (state in ('gathering', 'waiting', 'admitted')),
  single_key    text not null,
  slot_key      text not null,
  rate_key      text not null,
  lane          text not null,
  gather        text,
  gathers       text,
  priority      smallint not null,
  rank          timestamptz not null,
  queue         text not null,
  since         timestamptz not null,
  release_at    timestamptz,
  size          integer not null default 0,
  bytes         bigint not null default 0,
  primary key (tenant, instance_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index flow_ticket_slot on flow_ticket (tenant, definition_id, slot_key) where state = 'admitted';
create index flow_ticket_single on flow_ticket (tenant, definition_id, single_key, state);
create index flow_ticket_line on flow_ticket (tenant, definition_id, lane, rank, instance_id) where state = 'waiting';
create unique index flow_ticket_gather on flow_ticket (tenant, definition_id, gather) where state = 'gathering';
create index flow_ticket_release on flow_ticket (release_at) where state = 'gathering';

-- Lanes in which somebody waits: starts with the same keys. look_at: when its first may have its turn; sooner when a slot comes free.
create table flow_lane (
  tenant        text not null,
  definition_id text not null,
  lane          text not null,
  single_key    text not null,
  slot_key      text not null,
  rate_key      text not null,
  look_at       timestamptz not null,
  blocked       text,
  primary key (tenant, definition_id, lane)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index flow_lane_look on flow_lane (look_at);
create index flow_lane_slot on flow_lane (tenant, definition_id, slot_key);
create index flow_lane_single on flow_lane (tenant, definition_id, single_key);

-- Slots that came free. Only inserted into by commits: what many batches write must not make them wait for one another.
create table flow_freed (
  tenant        text not null,
  definition_id text not null,
  instance_id   uuid not null,
  single_key    text not null,
  slot_key      text not null,
  primary key (tenant, definition_id, instance_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- What passed a rate or a throttle, as long as it counts.
create table flow_pass (
  tenant        text not null,
  definition_id text not null,
  gate          text not null,
  key           text not null,
  at            timestamptz not null,
  id            uuid not null,
  until         timestamptz not null,
  primary key (tenant, definition_id, gate, key, at, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index flow_pass_until on flow_pass (until);

-- What a debounce or a batch has gathered. It stays without its data for a while after that: a start whose answer was lost is sent again.
create table flow_input (
  tenant        text not null,
  id            uuid not null,
  definition_id text not null,
  instance_id   uuid not null,
  n             integer not null,
  dedupe_key    text,
  data          json,
  gone_at       timestamptz,
  primary key (tenant, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index flow_input_instance on flow_input (tenant, instance_id, n);
create unique index flow_input_dedupe on flow_input (tenant, definition_id, dedupe_key) where dedupe_key is not null;
create index flow_input_gone on flow_input (gone_at) where gone_at is not null;

-- 500ms, 30s, 5m, 2h, 7d, ISO 8601, or a number of milliseconds. Checked before it came here.
create function lockstep_flow_ms(p_duration jsonb) returns float8
language plpgsql immutable as $$
declare
  v_text text := trim(p_duration #>> '{}');
begin
  if jsonb_typeof(p_duration) = 'number' then return v_text::float8; end if;
  if v_text ~ '^[0-9.]+ *ms$' then return trim(trim(v_text, 'ms'))::float8; end if;
  if v_text ~ '^[0-9.]+ *[smhd]$' then
    return left(v_text, -1)::float8 * case right(v_text, 1) when 's' then 1000 when 'm' then 60000 when 'h' then 3600000 else 86400000 end;
  end if;
  return extract(epoch from v_text::interval)::float8 * 1000;
end $$;

-- How long a priority is worth: that much earlier than it came does a start count.
create function lockstep_flow_lead(p_policy jsonb, p_priority integer) returns interval
language sql immutable as $$
  select p_priority * coalesce(lockstep_flow_ms(p_policy -> 'ageing'), 60000) * interval '1 millisecond'
$$;

-- A changed policy holds for those who wait, and for what is gathered: it ends when the new one says so, or now where that gathers no more.
create function lockstep_flow_reconsider(p_tenant text, p_definition text, p_policy jsonb) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  update flow_lane l set look_at = least(l.look_at, v_now) where l.tenant = p_tenant and l.definition_id = p_definition;
  update flow_ticket t
     set release_at = case
           when t.gathers = 'batch' and p_policy ? 'batch' and t.size < (p_policy #>> '{batch,size}')::integer
             then t.since + lockstep_flow_ms(p_policy #> '{batch,wait}') * interval '1 millisecond'
           when t.gathers = 'debounce' and p_policy ? 'debounce' then least(t.release_at, v_now + lockstep_flow_ms(p_policy #> '{debounce,wait}') * interval '1 millisecond')
           else v_now end
   where t.tenant = p_tenant and t.definition_id = p_definition and t.state = 'gathering';
end $$;

-- Sets what is declared (p_declares) or chosen. The policy in force gets a new revision when it changes; whoever waits is looked at again.
create function lockstep_flow_set(p_tenant text, p_definition text, p_declares boolean, p_version integer, p_policy jsonb, p_expected integer)
returns table (outcome text, revision integer)
language plpgsql set search_path from current as $$
#variable_conflict use_column
declare
  p flow_policy;
  v_policy jsonb;
begin
  perform 1 from definition d where d.id = p_definition and d.tenant = p_tenant for no key update;
  if not found then
    return query select 'not-found', null::integer;
    return;
  end if;
  insert into flow_policy (tenant, definition_id) values (p_tenant, p_definition) on conflict do nothing;
  select * into p from flow_policy x where x.tenant = p_tenant and x.definition_id = p_definition for update;
  if p_expected is not null and p_expected <> p.revision then
    return query select 'changed', p.revision;
    return;
  end if;
  if p_declares then
    -- A node with older code that starts later does not take back what newer code declared.
    if p.declared_by > p_version then
      return query select 'kept', p.revision;
      return;
    end if;
    p.declared := p_policy;
    p.declared_by := p_version;
  else
    p.chosen := p_policy;
  end if;
  v_policy := nullif(coalesce(p.chosen, p.declared), '{}');
  if v_policy is distinct from p.policy then p.revision := p.revision + 1; end if;
  update flow_policy x
     set declared = p.declared, declared_by = p.declared_by, chosen = p.chosen, policy = v_policy, revision = p.revision, turn = x.turn + 1,
         updated_at = case when v_policy is distinct from x.policy then clock_timestamp() else x.updated_at end
   where x.tenant = p_tenant and x.definition_id = p_definition;
  update definition d set flow = case when v_policy is not null then p.revision end
   where d.id = p_definition and d.tenant = p_tenant and d.flow is distinct from case when v_policy is not null then p.revision end;
  perform lockstep_flow_reconsider(p_tenant, p_definition, v_policy);
  return query select 'set', p.revision;
end $$;

-- What a document says about its flow holds from the moment in which it is published.
create function lockstep_flow_published() returns trigger
language plpgsql set search_path from current as $$
declare
  p flow_policy;
  v_declared jsonb;
  v_policy jsonb;
begin
  select v.document::jsonb -> 'flow' into v_declared from definition_version v where v.id = new.id and v.tenant = new.tenant and v.version = new.published;
  select * into p from flow_policy x where x.tenant = new.tenant and x.definition_id = new.id for update;
  if not found then
    if v_declared is null then return new; end if;
    insert into flow_policy (tenant, definition_id) values (new.tenant, new.id) returning * into p;
  end if;
  v_policy := nullif(coalesce(p.chosen, v_declared), '{}');
  if v_policy is distinct from p.policy then p.revision := p.revision + 1; end if;
  update flow_policy x
     set declared = v_declared, declared_by = new.published, policy = v_policy, revision = p.revision, turn = x.turn + 1,
         updated_at = case when v_policy is distinct from x.policy then clock_timestamp() else x.updated_at end
   where x.tenant = new.tenant and x.definition_id = new.id;
  perform lockstep_flow_reconsider(new.tenant, new.id, v_policy);
  new.flow := case when v_policy is not null then p.revision end;
  return new;
end $$;
-- Retracting keeps the policy: what waits goes on under it.
create trigger definition_declares_flow before update of published on definition for each row
  when (new.kind = 'graph' and new.published is not null and old.published is distinct from new.published)
  execute function lockstep_flow_published();

-- A slot is free when its instance has ended, and taken again when an ended one is sent back to work.
create function lockstep_flow_ended() returns trigger
language plpgsql set search_path from current as $$
begin
  if new.finished_at is not null then
    delete from flow_ticket t where t.tenant = new.tenant and t.instance_id = new.id;
    insert into flow_freed (tenant, definition_id, instance_id, single_key, slot_key)
    values (new.tenant, new.definition_id, new.id, new.flow[1], new.flow[2]) on conflict do nothing;
  else
    insert into flow_ticket (tenant, instance_id, definition_id, state, single_key, slot_key, rate_key, lane, priority, rank, queue, since)
    values (new.tenant, new.id, new.definition_id, 'admitted', new.flow[1], new.flow[2], new.flow[3], array_to_string(new.flow, E'\x01'), 0,
            clock_timestamp(), new.queue, clock_timestamp())
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger instance_frees_flow after update of finished_at on instance for each row
  when (new.flow is not null and (old.finished_at is null) <> (new.finished_at is null))
  execute function lockstep_flow_ended();

-- How many slots are taken, no more than p_most.
create function lockstep_flow_taken(p_tenant text, p_definition text, p_member jsonb, p_single boolean, p_key text, p_most integer) returns integer
language plpgsql as $$
begin
  if not p_member ? 'key' then
    return (select count(*) from (select 1 from flow_ticket t where t.tenant = p_tenant and t.definition_id = p_definition and t.state = 'admitted' limit p_most) x);
  elsif p_single then
    return (select count(*) from (select 1 from flow_ticket t where t.tenant = p_tenant and t.definition_id = p_definition and t.single_key = p_key
                                     and t.state = 'admitted' limit p_most) x);
  end if;
  return (select count(*) from (select 1 from flow_ticket t where t.tenant = p_tenant and t.definition_id = p_definition and t.slot_key = p_key
                                   and t.state = 'admitted' limit p_most) x);
end $$;

-- How many more may pass a gate now.
create function lockstep_flow_room(p_tenant text, p_definition text, p_gate text, p_key text, p_member jsonb, p_now timestamptz) returns integer
language plpgsql as $$
declare
  v_limit integer := (p_member ->> 'limit')::integer;
  v_from timestamptz := p_now - lockstep_flow_ms(p_member -> 'per') * interval '1 millisecond';
begin
  return v_limit - (select count(*) from (select 1 from flow_pass f where f.tenant = p_tenant and f.definition_id = p_definition and f.gate = p_gate
                                             and f.key = p_key and f.at > v_from limit v_limit) x);
end $$;

-- When a gate lets the next one pass.
create function lockstep_flow_opens(p_tenant text, p_definition text, p_gate text, p_key text, p_member jsonb) returns timestamptz
language plpgsql as $$
begin
  return (select f.at from flow_pass f where f.tenant = p_tenant and f.definition_id = p_definition and f.gate = p_gate and f.key = p_key
           order by f.at desc offset (p_member ->> 'limit')::integer - 1 limit 1) + lockstep_flow_ms(p_member -> 'per') * interval '1 millisecond';
end $$;

-- Gives those who wait in a lane their turn, as far as there is room. The caller holds the policy. p_claim: an instance that p_node works on at once.
create function lockstep_flow_admit(
  p_node uuid, p_tenant text, p_definition text, p_policy jsonb, p_single text, p_slot text, p_rate text, p_now timestamptz, p_claim uuid
) returns integer
language plpgsql as $$
declare
  v_lane text := p_single || E'\x01' || p_slot || E'\x01' || p_rate;
  v_room integer := 500;
  v_gate integer;
  v_blocked text;
  v_ids uuid[];
begin
  if p_policy ? 'singleton' then
    v_room := 1 - lockstep_flow_taken(p_tenant, p_definition, p_policy -> 'singleton', true, p_single, 1);
    v_blocked := 'singleton';
  end if;
  if p_policy ? 'concurrency' and v_room > 0 then
    v_gate := (p_policy #>> '{concurrency,limit}')::integer;
    v_gate := v_gate - lockstep_flow_taken(p_tenant, p_definition, p_policy -> 'concurrency', false, p_slot, v_gate);
    if v_gate < v_room then
      v_room := v_gate;
      v_blocked := 'concurrency';
    end if;
  end if;
  if p_policy ? 'rate' and v_room > 0 then
    v_gate := lockstep_flow_room(p_tenant, p_definition, 'rate', p_rate, p_policy -> 'rate', p_now);
    if v_gate < v_room then
      v_room := v_gate;
      v_blocked := 'rate';
    end if;
  end if;

  if v_room > 0 then
    with turn as materialized (
      select t.instance_id from flow_ticket t
       where t.tenant = p_tenant and t.definition_id = p_definition and t.lane = v_lane and t.state = 'waiting' order by t.rank, t.instance_id limit v_room),
    moved as (
      update flow_ticket t set state = 'admitted' where t.tenant = p_tenant and t.instance_id = any (array(select turn.instance_id from turn))
      returning t.instance_id)
    select coalesce(array_agg(moved.instance_id), '{}') into v_ids from moved;
  end if;
  if cardinality(v_ids) > 0 then
    update instance i
       set queue = t.queue, status = case when i.id = p_claim then 'running' else i.status end, claim_no = case when i.id = p_claim then 1 else i.claim_no end
      from flow_ticket t where i.id = any (v_ids) and t.tenant = p_tenant and t.instance_id = i.id;
    -- Counted from when it came, so that it does not queue a second time behind those that came since.
    insert into agenda as a (instance_id, tenant, queue, due_at, claimed_by, claim_no, crashes)
    select t.instance_id, t.tenant, t.queue, case when t.instance_id = p_claim then p_now else least(t.rank, p_now) end,
           case when t.instance_id = p_claim then p_node end, case when t.instance_id = p_claim then 1 else 0 end, case when t.instance_id = p_claim then 1 else 0 end
      from flow_ticket t where t.tenant = p_tenant and t.instance_id = any (v_ids) order by t.instance_id
    on conflict (instance_id, tenant) do update set queue = excluded.queue, due_at = least(a.due_at, excluded.due_at);
    if p_policy ? 'rate' then
      delete from flow_pass f where f.tenant = p_tenant and f.definition_id = p_definition and f.gate = 'rate' and f.key = p_rate
         and f.at <= p_now - lockstep_flow_ms(p_policy #> '{rate,per}') * interval '1 millisecond';
      insert into flow_pass (tenant, definition_id, gate, key, at, id, until)
      select p_tenant, p_definition, 'rate', p_rate, p_now, x.id, p_now + lockstep_flow_ms(p_policy #> '{rate,per}') * interval '1 millisecond' from unnest(v_ids) as x(id);
    end if;
  end if;

  if exists (select 1 from flow_ticket t where t.tenant = p_tenant and t.definition_id = p_definition and t.lane = v_lane and t.state = 'waiting') then
    -- A slot that comes free tells of itself; the time is for what nobody thought of.
    insert into flow_lane as l (tenant, definition_id, lane, single_key, slot_key, rate_key, look_at, blocked)
    values (p_tenant, p_definition, v_lane, p_single, p_slot, p_rate,
            case v_blocked when 'rate' then coalesce(lockstep_flow_opens(p_tenant, p_definition, 'rate', p_rate, p_policy -> 'rate'), p_now)
                           when 'singleton' then p_now + interval '30 seconds' when 'concurrency' then p_now + interval '30 seconds' else p_now end, v_blocked)
    on conflict (tenant, definition_id, lane) do update set look_at = excluded.look_at, blocked = excluded.blocked;
  else
    delete from flow_lane l where l.tenant = p_tenant and l.definition_id = p_definition and l.lane = v_lane;
  end if;
  return coalesce(cardinality(v_ids), 0);
end $$;

-- The first fact of an instance, at a place of its own in the order of commits (see 0005).
create function lockstep_flow_begin(p_node uuid, p_tenant text, p_instance uuid, p_claim integer, p_data json) returns void
language plpgsql as $$
declare
  v_place integer := coalesce(nullif(current_setting('lockstep.place', true), ''), '0')::integer + 1;
begin
  perform set_config('lockstep.place', v_place::text, true);
  insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  values (p_instance, 1, p_claim, (pg_current_xact_id()::text::bigint << 20) + 524288 + v_place, clock_timestamp(), p_node, p_tenant, 'started', p_data);
end $$;

-- What was gathered, as the first fact: of a batch all inputs in order, with what else the first start said; of a debounce the last start.
create function lockstep_flow_gathered(p_ticket flow_ticket, p_now timestamptz) returns json
language plpgsql as $$
declare
  v_data json;
begin
  if p_ticket.gathers = 'batch' then
    select json_object_agg(m.key, case when m.key = 'input' then a.inputs else m.value end) into v_data
      from (select json_agg(f.data -> 'input' order by f.n) as inputs, (array_agg(f.data order by f.n))[1] as first
              from flow_input f where f.tenant = p_ticket.tenant and f.instance_id = p_ticket.instance_id and f.data is not null) a
     cross join lateral json_each(a.first) m;
  else
    select f.data into v_data from flow_input f where f.tenant = p_ticket.tenant and f.instance_id = p_ticket.instance_id and f.data is not null order by f.n desc limit 1;
  end if;
  update flow_input f set data = null, gone_at = p_now where f.tenant = p_ticket.tenant and f.instance_id = p_ticket.instance_id;
  return v_data;
end $$;

-- Ends the gathering: what came is the input, and the start waits for its turn. The caller holds the policy.
create function lockstep_flow_release(p_node uuid, p_policy jsonb, p_ticket flow_ticket, p_now timestamptz) returns integer
language plpgsql as $$
begin
  perform lockstep_flow_begin(p_node, p_ticket.tenant, p_ticket.instance_id, 0, lockstep_flow_gathered(p_ticket, p_now));
  update flow_ticket t set state = 'waiting', gather = null, release_at = null, rank = p_now - lockstep_flow_lead(p_policy, t.priority)
   where t.tenant = p_ticket.tenant and t.instance_id = p_ticket.instance_id;
  return lockstep_flow_admit(p_node, p_ticket.tenant, p_ticket.definition_id, p_policy, p_ticket.single_key, p_ticket.slot_key, p_ticket.rate_key, p_now, null);
end $$;

-- Cancels a start, whatever it has come to. One that waits leaves the line, so that a worker can end it. The caller holds the policy.
create function lockstep_flow_drop(p_node uuid, p_policy jsonb, p_tenant text, p_instance uuid, p_reason text, p_now timestamptz) returns void
language plpgsql as $$
declare
  t flow_ticket;
begin
  select * into t from flow_ticket x where x.tenant = p_tenant and x.instance_id = p_instance;
  if found and t.state = 'gathering' then
    perform lockstep_flow_begin(p_node, p_tenant, p_instance, 0, lockstep_flow_gathered(t, p_now));
  end if;
  if t.state in ('gathering', 'waiting') then
    delete from flow_ticket x where x.tenant = p_tenant and x.instance_id = p_instance;
    delete from flow_lane l where l.tenant = p_tenant and l.definition_id = t.definition_id and l.lane = t.lane
       and not exists (select 1 from flow_ticket x where x.tenant = p_tenant and x.definition_id = t.definition_id and x.lane = t.lane and x.state = 'waiting');
    update instance i set queue = t.queue, flow = null where i.id = p_instance and i.tenant = p_tenant;
    update agenda a set queue = t.queue, due_at = p_now where a.instance_id = p_instance and a.tenant = p_tenant;
  end if;
  if p_reason is not null then
    perform lockstep_send(p_tenant, p_instance, 'cancel', json_build_object('reason', p_reason), 'cancel');
  end if;
end $$;

-- Starts under control, one element each, in order. within: inside a transaction of the caller's, which has no fence and works on nothing.
-- arrived: the instance is there, started by somebody who could not ask (a schedule): what would be refused is cancelled.
-- verdict: started · queued · gathered · attached · duplicate · busy · throttled · changed · plain · unknown
create function lockstep_flow_start(
  p_node uuid, p_within boolean,
  s_id uuid[], s_tenant text[], s_definition text[], s_version integer[], s_correlation text[], s_dedupe text[], s_parent uuid[], s_parent_step text[],
  s_queue text[], s_claimed boolean[], s_arrived boolean[], s_revision integer[], s_single text[], s_slot text[], s_rate text[], s_throttle text[],
  s_gather text[], s_priority integer[], s_data json
) returns table (item integer, verdict text, version integer, instance_id uuid, here boolean, retry_in float8, at float8, replaced uuid[], woken boolean)
language plpgsql set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  s record;
  p flow_policy;
  d definition;
  t flow_ticket;
  v_now timestamptz;
  v_id uuid;
  v_version integer;
  v_child boolean;
  v_live uuid[];
  v_each uuid;
  v_count integer;
begin
  if not p_within then
    -- The caller sends it again: others of the connection do not wait behind it.
    perform set_config('lock_timeout', '500ms', true);
  end if;
  perform 1 from flow_policy x
    where (x.tenant, x.definition_id) in (select w.tenant, w.definition from unnest(s_tenant, s_definition) as w(tenant, definition))
    order by x.tenant, x.definition_id for update;
  if not p_within then
    perform 1 from node n where n.id = p_node and not n.doomed for key share;
    if not found then
      raise exception 'node % was buried', p_node using errcode = 'LS001';
    end if;
  end if;
  for s in
    select x.*, x.ord::integer as place
      from rows from (unnest(s_id), unnest(s_tenant), unnest(s_definition), unnest(s_version), unnest(s_correlation), unnest(s_dedupe), unnest(s_parent),
                      unnest(s_parent_step), unnest(s_queue), unnest(s_claimed), unnest(s_arrived), unnest(s_revision), unnest(s_single), unnest(s_slot),
                      unnest(s_rate), unnest(s_throttle), unnest(s_gather), unnest(s_priority), json_array_elements(s_data)) with ordinality
           as x(id, tenant, definition, version, correlation, dedupe, parent, parent_step, queue, claimed, arrived, revision, single, slot, rate, throttle, gather,
                priority, data, ord)
     order by x.tenant, x.definition, x.ord
  loop
    -- Written, not only locked: a transaction of the caller's with an older snapshot is refused instead of counting what it cannot see.
    if p.definition_id is distinct from s.definition or p.tenant is distinct from s.tenant then
      update flow_policy x set turn = x.turn + 1 where x.tenant = s.tenant and x.definition_id = s.definition returning * into p;
      p.tenant := s.tenant;
      p.definition_id := s.definition;
      v_now := clock_timestamp();
      select * into d from definition x where x.id = s.definition and x.tenant = s.tenant;
    end if;
    item := s.place;
    version := null;
    instance_id := s.id;
    here := false;
    retry_in := null;
    replaced := '{}';
    woken := false;
    at := extract(epoch from v_now)::float8 * 1000;

    if not s.arrived then
      -- What this very call has done before: its answer was lost.
      select f.instance_id into v_id from flow_input f where f.tenant = s.tenant and f.id = s.id;
      if found then
        verdict := 'gathered';
        instance_id := v_id;
        return next;
        continue;
      end if;
      select case when x.state = 'admitted' or x.state is null then 'started' when x.state = 'waiting' then 'queued' else 'gathered' end, i.version,
             coalesce(a.claimed_by = p_node and a.claim_no = 1, false)
        into verdict, version, here
        from instance i
        left join flow_ticket x on x.tenant = i.tenant and x.instance_id = i.id
        left join agenda a on a.instance_id = i.id
       where i.id = s.id and i.tenant = s.tenant;
      if found then
        return next;
        continue;
      end if;
      if s.dedupe is not null then
        select i.id into v_id from instance i where i.tenant = s.tenant and i.definition_id = s.definition and i.dedupe_key = s.dedupe;
        if not found then
          select f.instance_id into v_id from flow_input f where f.tenant = s.tenant and f.definition_id = s.definition and f.dedupe_key = s.dedupe;
        end if;
        if found then
          verdict := 'duplicate';
          instance_id := v_id;
          return next;
          continue;
        end if;
      end if;
      v_version := coalesce(s.version, d.published);
      version := v_version;
      verdict := case when d.id is null or v_version is null then 'unknown' when d.flow is null then 'plain' when d.flow <> s.revision then 'changed' end;
      if verdict is not null then
        return next;
        continue;
      end if;
    elsif d.flow is distinct from s.revision or exists (select 1 from flow_ticket x where x.tenant = s.tenant and x.instance_id = s.id) then
      verdict := 'changed';
      return next;
      continue;
    end if;
    -- A parent waits for the end of just this one: it is not merged with others.
    v_child := s.parent is not null or s.arrived;

    if p.policy ? 'throttle' then
      if lockstep_flow_room(s.tenant, s.definition, 'throttle', s.throttle, p.policy -> 'throttle', v_now) <= 0 then
        verdict := 'throttled';
        retry_in := extract(epoch from lockstep_flow_opens(s.tenant, s.definition, 'throttle', s.throttle, p.policy -> 'throttle') - v_now)::float8 * 1000;
        if s.arrived then
          perform lockstep_flow_park(s.tenant, s.id, s.queue);
          perform lockstep_flow_drop(p_node, p.policy, s.tenant, s.id, 'its workflow was started more often than its throttle allows', v_now);
        end if;
        return next;
        continue;
      end if;
    end if;

    if p.policy ? 'singleton' then
      v_live := case when p.policy -> 'singleton' ? 'key'
        then array(select x.instance_id from flow_ticket x where x.tenant = s.tenant and x.definition_id = s.definition and x.single_key = s.single order by x.state, x.rank, x.instance_id)
        else array(select x.instance_id from flow_ticket x where x.tenant = s.tenant and x.definition_id = s.definition order by x.state, x.rank, x.instance_id) end;
      if cardinality(v_live) > 0 then
        if p.policy #>> '{singleton,onBusy}' = 'attach' and not v_child then
          verdict := 'attached';
          instance_id := v_live[1];
          return next;
          continue;
        elsif coalesce(p.policy #>> '{singleton,onBusy}', 'reject') = 'reject' then
          verdict := 'busy';
          instance_id := v_live[1];
          if s.arrived then
            perform lockstep_flow_park(s.tenant, s.id, s.queue);
            perform lockstep_flow_drop(p_node, p.policy, s.tenant, s.id, 'another instance of its workflow was running', v_now);
            instance_id := s.id;
          end if;
          return next;
          continue;
        elsif p.policy #>> '{singleton,onBusy}' = 'replace' then
          replaced := v_live;
          foreach v_each in array v_live loop
            perform lockstep_flow_drop(p_node, p.policy, s.tenant, v_each, 'replaced by ' || s.id, v_now);
          end loop;
        end if;
      end if;
    end if;

    if p.policy ? 'throttle' then
      delete from flow_pass f where f.tenant = s.tenant and f.definition_id = s.definition and f.gate = 'throttle' and f.key = s.throttle
         and f.at <= v_now - lockstep_flow_ms(p.policy #> '{throttle,per}') * interval '1 millisecond';
      insert into flow_pass (tenant, definition_id, gate, key, at, id, until)
      values (s.tenant, s.definition, 'throttle', s.throttle, v_now, s.id, v_now + lockstep_flow_ms(p.policy #> '{throttle,per}') * interval '1 millisecond');
    end if;

    if s.gather is not null and not v_child then
      select * into t from flow_ticket x where x.tenant = s.tenant and x.definition_id = s.definition and x.gather = s.gather and x.state = 'gathering';
      -- As much as one input may hold, and nothing of another kind.
      if found and (t.gathers = 'batch' and t.bytes + octet_length(s.data::text) > 1000000 or (t.gathers = 'batch') <> (p.policy ? 'batch')) then
        woken := lockstep_flow_release(p_node, p.policy, t, v_now) > 0;
        t := null;
      end if;
      if t.instance_id is null then
        insert into instance (id, tenant, definition_id, version, correlation_id, queue, created_at, status, flow)
        values (s.id, s.tenant, s.definition, v_version, s.correlation, 'flow', v_now, 'queued', array[s.single, s.slot, s.rate]);
        insert into flow_ticket (tenant, instance_id, definition_id, state, single_key, slot_key, rate_key, lane, gather, gathers, priority, rank, queue, since)
        values (s.tenant, s.id, s.definition, 'gathering', s.single, s.slot, s.rate, s.single || E'\x01' || s.slot || E'\x01' || s.rate, s.gather,
                case when p.policy ? 'batch' then 'batch' else 'debounce' end, s.priority, v_now, s.queue, v_now) returning * into t;
      else
        -- The last one says how it starts.
        update instance i set version = v_version, correlation_id = case when t.gathers = 'batch' then i.correlation_id else s.correlation end,
               flow = array[s.single, s.slot, s.rate] where i.id = t.instance_id and i.tenant = s.tenant;
      end if;
      update flow_ticket x
         set size = x.size + 1, bytes = x.bytes + octet_length(s.data::text), priority = greatest(x.priority, s.priority), queue = s.queue,
             single_key = s.single, slot_key = s.slot, rate_key = s.rate, lane = s.single || E'\x01' || s.slot || E'\x01' || s.rate,
             release_at = case when x.gathers = 'batch' then x.since + lockstep_flow_ms(p.policy #> '{batch,wait}') * interval '1 millisecond'
                               else least(v_now + lockstep_flow_ms(p.policy #> '{debounce,wait}') * interval '1 millisecond',
                                          x.since + lockstep_flow_ms(p.policy #> '{debounce,max}') * interval '1 millisecond') end
       where x.tenant = s.tenant and x.instance_id = t.instance_id returning * into t;
      insert into flow_input (tenant, id, definition_id, instance_id, n, dedupe_key, data) values (s.tenant, s.id, s.definition, t.instance_id, t.size, s.dedupe, s.data);
      if t.gathers = 'batch' and t.size >= (p.policy #>> '{batch,size}')::integer then
        woken := lockstep_flow_release(p_node, p.policy, t, v_now) > 0 or woken;
      end if;
      verdict := 'gathered';
      instance_id := t.instance_id;
      return next;
      continue;
    end if;

    if s.arrived then
      update instance i set flow = array[s.single, s.slot, s.rate] where i.id = s.id and i.tenant = s.tenant and i.finished_at is null and i.queue = 'flow'
      returning i.version into version;
      if not found then
        verdict := 'changed';
        return next;
        continue;
      end if;
      delete from agenda a where a.instance_id = s.id and a.tenant = s.tenant and a.stim = 0;
    else
      insert into instance (id, tenant, definition_id, version, correlation_id, dedupe_key, parent_id, parent_step, queue, created_at, status, flow)
      values (s.id, s.tenant, s.definition, v_version, s.correlation, s.dedupe, s.parent, s.parent_step, 'flow', v_now, 'queued', array[s.single, s.slot, s.rate])
      on conflict (tenant, definition_id, dedupe_key) where dedupe_key is not null do nothing;
      if not found then
        -- Started beside this by a node that had not heard of the policy.
        verdict := 'duplicate';
        select i.id into instance_id from instance i where i.tenant = s.tenant and i.definition_id = s.definition and i.dedupe_key = s.dedupe;
        return next;
        continue;
      end if;
    end if;
    insert into flow_ticket (tenant, instance_id, definition_id, state, single_key, slot_key, rate_key, lane, priority, rank, queue, since)
    values (s.tenant, s.id, s.definition, 'waiting', s.single, s.slot, s.rate, s.single || E'\x01' || s.slot || E'\x01' || s.rate, s.priority,
            v_now - lockstep_flow_lead(p.policy, s.priority), s.queue, v_now);
    v_count := lockstep_flow_admit(p_node, s.tenant, s.definition, p.policy, s.single, s.slot, s.rate, v_now, case when s.claimed and not p_within then s.id end);
    select case when x.state = 'admitted' then 'started' else 'queued' end into verdict from flow_ticket x where x.tenant = s.tenant and x.instance_id = s.id;
    woken := v_count > case when verdict = 'started' then 1 else 0 end or cardinality(replaced) > 0;
    here := verdict = 'started' and s.claimed and not p_within;
    if not s.arrived then
      perform lockstep_flow_begin(p_node, s.tenant, s.id, case when here then 1 else 0 end, s.data);
    end if;
    return next;
  end loop;
  if p_within then perform pg_notify('lockstep_wake', 'flow'); end if;
end $$;

-- Gives an instance that a schedule has left at the door the queue in which it can be ended.
create function lockstep_flow_park(p_tenant text, p_instance uuid, p_queue text) returns void
language plpgsql as $$
begin
  update instance i set queue = p_queue where i.id = p_instance and i.tenant = p_tenant;
  update agenda a set queue = p_queue where a.instance_id = p_instance and a.tenant = p_tenant;
end $$;

-- Where an instance runs: functions where their version is registered, graphs anywhere, as in `engine.start`.
create function lockstep_flow_queue(p_instance uuid) returns text
language plpgsql as $$
begin
  return (select case d.kind when 'function' then 'fn/' || i.definition_id || '/' || i.version else 'default' end
            from instance i cross join lateral (select x.kind from definition x where x.id = i.definition_id and x.tenant = i.tenant offset 0) d where i.id = p_instance);
end $$;

-- What has come due: calm debounces, full times of batches, freed slots, opened rates, cancelled waiters. At most p_limit of each kind.
-- waiting: definitions in which somebody waits. arrived: instances at the door, whose keys a node has to tell.
create function lockstep_flow_pump(p_node uuid, p_limit integer)
returns table (admitted integer, next_in float8, more boolean, waiting json, arrived json)
language plpgsql set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_admitted integer := 0;
  v_more boolean := false;
  v_arrived jsonb := '[]';
  v_singles text[];
  v_slots text[];
  v_count integer;
  w record;
  p flow_policy;
  t flow_ticket;
  l flow_lane;
begin
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  for w in
    select tenant, definition_id from (select f.tenant, f.definition_id from flow_freed f order by f.tenant, f.definition_id limit p_limit) f
    union select tenant, definition_id from (select x.tenant, x.definition_id from flow_lane x where x.look_at <= v_now order by x.look_at limit p_limit) x
    union select tenant, definition_id from (select x.tenant, x.definition_id from flow_ticket x where x.state = 'gathering' and x.release_at <= v_now order by x.release_at limit p_limit) x
    union select i.tenant, i.definition_id
            from ((select a.instance_id from agenda a where a.queue = 'flow' and a.claimed_by is null and a.claim_no = 0 and a.due_at <= v_now limit p_limit)
                  union (select a.instance_id from agenda a where a.queue = 'flow' and a.claimed_by is null and a.claim_no > 0 and a.due_at <= v_now limit p_limit)) a
           cross join lateral (select x.tenant, x.definition_id from instance x where x.id = a.instance_id offset 0) i
    order by 1, 2
  loop
    -- Whoever has it now sees what is to be done, or looks again soon.
    perform 1 from flow_policy x where x.tenant = w.tenant and x.definition_id = w.definition_id for update skip locked;
    if not found then
      v_more := true;
      continue;
    end if;
    update flow_policy x set turn = x.turn + 1 where x.tenant = w.tenant and x.definition_id = w.definition_id returning * into p;
    v_now := clock_timestamp();

    for t in select * from flow_ticket x where x.tenant = w.tenant and x.definition_id = w.definition_id and x.state = 'gathering' and x.release_at <= v_now
              order by x.release_at, x.since, x.instance_id limit p_limit loop
      v_admitted := v_admitted + lockstep_flow_release(p_node, coalesce(p.policy, '{}'), t, v_now);
    end loop;

    -- Nobody told of a free slot for as long as a lane is left alone: are those who hold them alive?
    if exists (select 1 from flow_lane x where x.tenant = w.tenant and x.definition_id = w.definition_id and x.look_at <= v_now and x.blocked in ('singleton', 'concurrency')) then
      delete from flow_ticket x
       where x.tenant = w.tenant and x.instance_id = any (array(
         select y.instance_id from flow_ticket y where y.tenant = w.tenant and y.definition_id = w.definition_id and y.state = 'admitted'
            and not exists (select 1 from instance i where i.id = y.instance_id and i.finished_at is null) limit p_limit));
    end if;
    with gone as (
      delete from flow_freed f where f.tenant = w.tenant and f.definition_id = w.definition_id
         and f.instance_id = any (array(select x.instance_id from flow_freed x where x.tenant = w.tenant and x.definition_id = w.definition_id limit 1000 for update skip locked))
      returning f.single_key, f.slot_key)
    select array_agg(distinct gone.single_key), array_agg(distinct gone.slot_key), count(*) into v_singles, v_slots, v_count from gone;
    if v_count > 0 then
      update flow_lane x set look_at = v_now
       where x.tenant = w.tenant and x.definition_id = w.definition_id and x.look_at > v_now and x.blocked in ('singleton', 'concurrency')
         and x.lane = any (array(
           select y.lane from flow_lane y where y.tenant = w.tenant and y.definition_id = w.definition_id
              and (p.policy ? 'concurrency' and (not p.policy -> 'concurrency' ? 'key' or y.slot_key = any (v_slots))
                   or p.policy ? 'singleton' and (not p.policy -> 'singleton' ? 'key' or y.single_key = any (v_singles)))
            order by y.look_at limit p_limit));
      v_more := v_more or v_count >= 1000;
    end if;

    v_count := 0;
    -- Lanes may want the same slots: whoever has the first turn of all goes first.
    for l in
      select x.* from (select y.* from flow_lane y where y.tenant = w.tenant and y.definition_id = w.definition_id and y.look_at <= v_now order by y.look_at limit p_limit) x
        left join lateral (select t.rank, t.instance_id from flow_ticket t
                            where t.tenant = x.tenant and t.definition_id = x.definition_id and t.lane = x.lane and t.state = 'waiting'
                            order by t.rank, t.instance_id limit 1) f on true
       order by f.rank, f.instance_id
    loop
      v_admitted := v_admitted + lockstep_flow_admit(p_node, w.tenant, w.definition_id, coalesce(p.policy, '{}'), l.single_key, l.slot_key, l.rate_key, v_now, null);
      v_count := v_count + 1;
    end loop;
    v_more := v_more or v_count >= p_limit;

    for l in
      select i.tenant, i.definition_id, i.id::text as lane, '' as single_key, '' as slot_key, '' as rate_key, v_now as look_at, x.state as blocked
        from ((select a.instance_id from agenda a where a.queue = 'flow' and a.tenant = w.tenant and a.claimed_by is null and a.claim_no = 0 and a.due_at <= v_now limit p_limit)
              union (select a.instance_id from agenda a where a.queue = 'flow' and a.claimed_by is null and a.claim_no > 0 and a.due_at <= v_now limit p_limit)) a
       cross join lateral (select y.* from instance y where y.id = a.instance_id and y.definition_id = w.definition_id offset 0) i
        left join flow_ticket x on x.tenant = i.tenant and x.instance_id = i.id
    loop
      if l.blocked = 'admitted' then
        -- Told something while it was let in: what told it had read where it stood before.
        perform lockstep_flow_park(l.tenant, l.lane::uuid, lockstep_flow_queue(l.lane::uuid));
        v_admitted := v_admitted + 1;
      elsif exists (select 1 from inbox m where m.instance_id = l.lane::uuid and m.kind in ('cancel', 'terminate')) then
        v_admitted := v_admitted + 1;
        if l.blocked is null then
          perform lockstep_flow_park(l.tenant, l.lane::uuid, lockstep_flow_queue(l.lane::uuid));
        else
          perform lockstep_flow_drop(p_node, coalesce(p.policy, '{}'), l.tenant, l.lane::uuid, null, v_now);
        end if;
      elsif l.blocked is not null then
        -- What it was told waits with it, out of the way of others. Told something else, it is due again.
        update agenda a set due_at = v_now + interval '1 day' where a.instance_id = l.lane::uuid and a.tenant = l.tenant and a.claimed_by is null;
      elsif p.policy is null then
        perform lockstep_flow_park(l.tenant, l.lane::uuid, lockstep_flow_queue(l.lane::uuid));
        v_admitted := v_admitted + 1;
      else
        v_arrived := v_arrived || (
          select jsonb_build_object('tenant', i.tenant, 'instanceId', i.id, 'definitionId', i.definition_id, 'data', j.data, 'queue', lockstep_flow_queue(i.id))
            from instance i cross join lateral (select x.data from journal x where x.instance_id = i.id and x.seq = 1 offset 0) j where i.id = l.lane::uuid);
      end if;
    end loop;
  end loop;

  delete from flow_pass f where (f.tenant, f.definition_id, f.gate, f.key, f.at, f.id) in
    (select x.tenant, x.definition_id, x.gate, x.key, x.at, x.id from flow_pass x where x.until <= v_now order by x.until limit 200 for update skip locked);
  delete from flow_input f where (f.tenant, f.id) in (
    select x.tenant, x.id from flow_input x
     where x.gone_at <= v_now - interval '10 minutes' and (x.dedupe_key is null or not exists (select 1 from instance i where i.id = x.instance_id))
     order by x.gone_at limit 200 for update skip locked);

  return query
    select v_admitted,
           extract(epoch from least((select min(x.look_at) from flow_lane x), (select min(x.release_at) from flow_ticket x where x.state = 'gathering'))
                   - clock_timestamp())::float8 * 1000,
           v_more,
           (select json_agg(json_build_array(x.tenant, x.definition_id)) from (select distinct y.tenant, y.definition_id from (
              (select z.tenant, z.definition_id from flow_lane z limit 1000) union (select z.tenant, z.definition_id from flow_ticket z where z.state = 'gathering' limit 1000)) y) x),
           nullif(v_arrived, '[]')::json;
end $$;

-- The commit functions, the start within a transaction and the schedules leave out what is under control: one condition on a row that they read
-- anyway. The rest of each stands where it was made.
do $patch$
declare
  v_patch text[];
  v_old text;
  v_new text;
begin
  foreach v_patch slice 1 in array array[
    array['lockstep_commit', 'where coalesce(s.version, d.published) is not null', 'where coalesce(s.version, d.published) is not null and d.flow is null'],
    array['lockstep_commit_plain', 'x.id = g.definition and x.tenant = p_tenant offset 0', 'x.id = g.definition and x.tenant = p_tenant and x.flow is null offset 0'],
    array['lockstep_start_within', 'd.id = p_definition and d.tenant = p_tenant;', 'd.id = p_definition and d.tenant = p_tenant and d.flow is null;'],
    array['lockstep_fire_schedules', 'case d.kind when ''function'' then ''fn/'' || s.definition_id || ''/'' || d.published else ''default'' end as queue',
                                     'case when d.flow is not null then ''flow'' when d.kind = ''function'' then ''fn/'' || s.definition_id || ''/'' || d.published else ''default'' end as queue'],
    -- A start that waits is not moved to where it would run.
    array['lockstep_control', 'update agenda a set queue = p_queue where a.instance_id = p_instance and a.claimed_by is null;',
                              'update agenda a set queue = p_queue where a.instance_id = p_instance and a.claimed_by is null and a.queue <> ''flow'';'],
    array['lockstep_fire_schedules', 'select x.kind, x.published from definition x', 'select x.kind, x.published, x.flow from definition x']]
  loop
    select pg_get_functiondef(f.oid) into strict v_old from pg_proc f where f.proname = v_patch[1] and f.pronamespace = current_schema()::regnamespace;
    v_new := replace(v_old, v_patch[2], v_patch[3]);
    if v_new = v_old then
      raise exception 'function % has no text "%"', v_patch[1], v_patch[2];
    end if;
    execute v_new;
  end loop;
end $patch$;
