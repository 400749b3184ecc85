-- 0004_stimuli.sql  What reaches instances from outside (DESIGN §2 and §3; core review F1, F2). Functions only.
-- Order of locks: bookmark (by hash), inbox, agenda (by instance), event.

-- Consumes one bookmark, or says why it cannot. The row lock makes losers wait for the winner, so that they see its message.
create function lockstep_resume(p_tenant text, p_instance uuid, p_bookmark text, p_payload json)
returns table (verdict text, bookmark uuid, names text[])
language plpgsql as $$
declare
  b bookmark;
  v_open text[];
  v_finished timestamptz;
  v_verdict text;
begin
  loop
    select array_agg(distinct x.name) into v_open from bookmark x
     where x.instance_id = p_instance and x.tenant = p_tenant and (p_bookmark is null or x.name = p_bookmark or x.id::text = p_bookmark);
    if p_bookmark is null and cardinality(v_open) > 1 then
      return query select 'ambiguous', null::uuid, v_open;
      return;
    end if;

    select * into b from bookmark x
     where x.instance_id = p_instance and x.tenant = p_tenant and (p_bookmark is null or x.name = p_bookmark or x.id::text = p_bookmark)
     order by x.hash limit 1 for update;
    if found then
      if b.expires_at <= clock_timestamp() then
        return query select 'expired', b.id, null::text[];
        return;
      end if;
      delete from bookmark x where x.id = b.id;
      insert into inbox (instance_id, tenant, kind, bookmark_id, name, step, payload)
      values (b.instance_id, b.tenant, 'resume', b.id, b.name, b.step, p_payload);
      perform lockstep_stimulate(array[b.instance_id]);
      return query select 'resumed', b.id, null::text[];
      return;
    end if;

    select i.finished_at into v_finished from instance i where i.id = p_instance and i.tenant = p_tenant;
    if not found then
      return query select 'not-found', null::uuid, null::text[];
      return;
    end if;
    v_verdict := case
      when exists (select 1 from inbox m where m.instance_id = p_instance and m.bookmark_id is not null
                   and (p_bookmark is null or m.name = p_bookmark or m.bookmark_id::text = p_bookmark))
        or exists (select 1 from (select j.kind, j.data from journal j where j.instance_id = p_instance order by j.seq desc limit 1000) j
                   where j.kind = 'waiting'
                     and (p_bookmark is null or j.data -> 'wait' ->> 'name' = p_bookmark or j.data ->> 'bookmark' = p_bookmark)
                     and j.data -> 'wait' ->> 'name' is not null) then 'already-resumed'
      when v_finished is null and exists (select 1 from agenda a where a.instance_id = p_instance) then 'in-progress'
      else 'not-found' end;
    -- Opened while this looked elsewhere: what the journal says is then about a bookmark that is there.
    if not exists (select 1 from bookmark x where x.instance_id = p_instance and x.tenant = p_tenant
                    and (p_bookmark is null or x.name = p_bookmark or x.id::text = p_bookmark)) then
      return query select v_verdict, null::uuid, null::text[];
      return;
    end if;
  end loop;
end $$;

-- Puts a message into an instance's inbox. Answers false when the instance is unknown or has ended.
create function lockstep_send(p_tenant text, p_instance uuid, p_kind text, p_payload json, p_dedupe text) returns boolean
language plpgsql as $$
declare
  v_id bigint;
begin
  perform 1 from instance i where i.id = p_instance and i.tenant = p_tenant and i.finished_at is null;
  if not found then return false; end if;
  insert into inbox (instance_id, tenant, kind, payload, dedupe_key) values (p_instance, p_tenant, p_kind, p_payload, p_dedupe)
  on conflict (tenant, instance_id, dedupe_key) where dedupe_key is not null do nothing returning id into v_id;
  perform lockstep_stimulate(array[p_instance]);
  if exists (select 1 from agenda a where a.instance_id = p_instance) then return true; end if;
  delete from inbox m where m.instance_id = p_instance and m.id = v_id;   -- it ended while this waited
  return false;
end $$;

-- Delivers an event to at most p_limit of the bookmarks that wait for it.
create function lockstep_match(p_tenant text, p_event uuid, p_limit integer) returns integer
language plpgsql as $$
declare
  e event;
  v_instances uuid[];
begin
  select * into e from event where id = p_event and tenant = p_tenant and expires_at > clock_timestamp();
  if not found then return 0; end if;
  with hit as materialized (
    select b.id from bookmark b
     where b.tenant = p_tenant and b.kind = 'event' and b.name = e.name
       and (e.correlation_id is null or b.correlation_id = e.correlation_id)
       and (b.expires_at is null or b.expires_at > clock_timestamp())
       and (b.created_at <= e.published_at
            or not exists (select 1 from event_delivery d where d.event_id = e.id and d.instance_id = b.instance_id))
     order by b.hash limit p_limit for update),
  burned as (delete from bookmark b using hit where b.id = hit.id returning b.instance_id, b.id, b.name, b.step),
  told as (insert into inbox (instance_id, tenant, kind, bookmark_id, name, step, payload)
           select burned.instance_id, p_tenant, 'event', burned.id, burned.name, burned.step, e.payload from burned)
  select coalesce(array_agg(burned.instance_id), '{}') into v_instances from burned;
  if cardinality(v_instances) > 0 then
    insert into event_delivery (event_id, instance_id, tenant)
    select p_event, x.id, p_tenant from unnest(v_instances) as x(id) group by x.id order by x.id
    on conflict do nothing;
    perform lockstep_stimulate(v_instances);
    update event set matched = matched + cardinality(v_instances) where id = p_event and tenant = p_tenant;
  end if;
  return cardinality(v_instances);
end $$;

-- Keeps an event and tells those who wait for it now. Whoever opens a bookmark at this very moment is found when the event is settled.
create function lockstep_publish(p_id uuid, p_tenant text, p_name text, p_correlation text, p_payload json, p_ttl float8, p_limit integer) returns integer
language plpgsql as $$
begin
  insert into event (id, tenant, name, correlation_id, payload, expires_at)
  values (p_id, p_tenant, p_name, p_correlation, p_payload, clock_timestamp() + p_ttl * interval '1 millisecond') on conflict (id, tenant) do nothing;
  if p_limit = 0 then return 0; end if;
  return lockstep_match(p_tenant, p_id, p_limit);
end $$;

-- An event is settled when no bookmark can have missed it any more: every transaction older than a moment after its commit has ended.
create function lockstep_settle(p_limit integer) returns table (settled integer, matched integer, open integer)
language plpgsql as $$
declare
  v_horizon bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  v_settled integer := 0;
  v_matched integer := 0;
  v_hits integer;
  e record;
begin
  -- After the commit of the event, hence a transaction of its own: this one.
  update event x set settle_after = pg_current_xact_id()::text::bigint where not x.settled and x.settle_after is null;
  for e in select x.id, x.tenant from event x where not x.settled and x.settle_after < v_horizon order by x.published_at limit p_limit loop
    v_hits := lockstep_match(e.tenant, e.id, 500);
    v_matched := v_matched + v_hits;
    if v_hits < 500 then
      update event x set settled = true where x.id = e.id and x.tenant = e.tenant;
      delete from event_delivery d where d.event_id = e.id;
      v_settled := v_settled + 1;
    end if;
  end loop;
  return query select v_settled, v_matched, (select count(*)::integer from (select 1 from event x where not x.settled limit p_limit) o);
end $$;

-- Takes due rows that nobody has, oldest first, in a bounded look at each queue (index agenda_due). Ids and small columns only, so that a
-- stopped reader cannot hold the rows; messages come along while they are small, else they are read apart. The foreign key to node is a fence of its own. Shape as in lockstep_commit.
create function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_from timestamptz := coalesce(clock_timestamp() - p_floor * interval '1 millisecond', '-infinity');
  v_to timestamptz := clock_timestamp() + p_ahead * interval '1 millisecond';
  v_ids uuid[];
begin
  select coalesce(array_agg(d.instance_id), '{}') into v_ids from (
    select t.instance_id
      from unnest(p_queues) as q(queue)
     cross join lateral (
       select a.instance_id, a.due_at from agenda a
        where a.queue = q.queue and a.claimed_by is null and a.due_at <= v_to and a.due_at >= v_from
        order by a.due_at limit p_limit for update skip locked) t
     order by t.due_at limit p_limit) d;
  if cardinality(v_ids) = 0 then
    return;
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.instance_id = any (v_ids)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              -- The rows were locked before this statement's snapshot: what their counters count is in it.
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end;
end $$;
