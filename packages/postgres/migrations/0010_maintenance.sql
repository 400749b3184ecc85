-- 0010_maintenance.sql  Retention and repair (DESIGN §2 and §9). Lock: event and incident, briefly, for an index each.
-- The commit path pays nothing: an index on the end of instances costs a tenth of the smallest workflow (it also ends the HOT updates of
-- `instance`), a table of ends as much. Instead retention walks the primary key of `instance`, which is the order of creation, behind the
-- shortest time that anything is kept, and notes each instance once in retention_watch; from then on it is looked at when it may be due.
-- Functions forbid sequential scans for their own statements (see 0003) and the compiler that the planner would call for the price of a forbidden one.
-- Order of locks: maintenance_turn, instance (without waiting), what belongs to it. Nobody else writes what has ended.

-- Who does a duty, and when it is due next. Judged by the clock of the database alone.
-- walked_to: the last instance that was noted; walk_began_at: the walk starts anew after a week, for ids that came out of order.
create table maintenance_turn (
  duty          text primary key,
  holder        uuid,
  expires_at    timestamptz,
  next_at       timestamptz,
  walked_to     uuid,
  walk_began_at timestamptz
) with (fillfactor = 50);

-- subject: '*', 'definition:<id>' or 'instance:<id>'. aspect: what an ended instance counts as, or 'hold'. keep_ms: null keeps for ever.
create table retention_rule (
  tenant     text not null,
  subject    text not null,
  aspect     text not null,
  keep_ms    float8,
  reason     text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant, subject, aspect)
);

-- Rules that changed: what they concern is looked at again, page by page.
create table retention_recheck (
  tenant          text not null,
  definition_id   text not null,
  after_definition text not null default '',
  after_id        uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (tenant, definition_id)
);

-- Instances older than the shortest time. purging: the instance is gone, the rest of a journal too long for one batch is going.
create table retention_watch (
  tenant        text not null,
  definition_id text not null,
  instance_id   uuid not null,
  look_at       timestamptz not null,
  purging       boolean not null default false,
  primary key (tenant, definition_id, instance_id)
);
create index retention_watch_due on retention_watch (look_at);
create index retention_watch_purging on retention_watch (instance_id) where purging;

-- Written when an event is settled and when an incident is resolved, not when they begin.
create index event_settled on event (expires_at) where settled;
create index incident_resolved on incident (resolved_at) where resolved_at is not null;

-- Extends the turn of its holder; false: it is not the holder any more. The row stays locked until the transaction is over.
create function lockstep_keep_turn(p_duty text, p_node uuid, p_ttl float8) returns boolean
language plpgsql as $$
begin
  update maintenance_turn t set expires_at = clock_timestamp() + p_ttl * interval '1 millisecond'
   where t.duty = p_duty and t.holder = p_node and t.expires_at > clock_timestamp();
  return found;
end $$;

-- When to look again; null: it may go now. A child never goes before a parent that has not ended: that would start it once more.
create function lockstep_retention_judge(p_ids uuid[], p_keep jsonb)
returns table (id uuid, tenant text, definition_id text, rows integer, look_at timestamptz)
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
    select i.id, i.tenant, i.definition_id, i.last_seq,
           case
             when i.finished_at is null or parent.waits or busy.so then v_now + least(interval '1 day', greatest(interval '1 hour', (v_now - i.created_at) / 10))
             when held.so then v_now + interval '1 day'
             when keep.ms is null then v_now + interval '7 days'
             when i.finished_at + keep.ms * interval '1 millisecond' > v_now
               then least(i.finished_at + keep.ms * interval '1 millisecond', v_now + interval '7 days')
           end
      from unnest(p_ids) as w(id)
     cross join lateral (select x.* from instance x where x.id = w.id offset 0) i
     cross join lateral (
       select case when i.status = 'faulted' and exists (select 1 from incident n where n.instance_id = i.id and n.resolved_at is null)
                   then 'unresolved' else i.status end as aspect) k
      left join lateral (select x.keep_ms, 1 as found from retention_rule x where x.tenant = i.tenant and x.subject = 'definition:' || i.definition_id and x.aspect = k.aspect offset 0) own on true
      left join lateral (select x.keep_ms, 1 as found from retention_rule x where x.tenant = i.tenant and x.subject = '*' and x.aspect = k.aspect offset 0) wide on true
     cross join lateral (select case when own.found = 1 then own.keep_ms when wide.found = 1 then wide.keep_ms else (p_keep ->> k.aspect)::float8 end as ms) keep
     cross join lateral (
       select exists (select 1 from retention_rule x where x.tenant = i.tenant and x.aspect = 'hold'
                         and x.subject in ('*', 'definition:' || i.definition_id, 'instance:' || i.id)) as so) held
     cross join lateral (
       select i.parent_id is not null and exists (select 1 from instance p where p.id = i.parent_id and p.tenant = i.tenant and p.finished_at is null) as waits) parent
     cross join lateral (
       -- Its schedule is told first; where nobody fires schedules, not for ever.
       select exists (select 1 from schedule_end e where e.instance_id = i.id and e.at > v_now - interval '1 day')
           or exists (select 1 from agenda a where a.instance_id = i.id) as so) busy;
end $$;

-- Notes instances that are old enough, and looks at those whose time has come. Everything by primary key or by the index of look_at.
create function lockstep_retention_expired(p_node uuid, p_ttl float8, p_keep jsonb, p_limit integer, p_rows bigint)
returns table (examined integer, waiting integer, expired json)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_shortest float8;
  v_hex text;
  v_last uuid;
  v_definition text;
  v_count integer;
  v_examined integer := 0;
  v_ids uuid[];
  v_tenants text[];
  v_definitions text[];
  v_expired json;
  r retention_recheck;
  t maintenance_turn;
begin
  if not lockstep_keep_turn('retention', p_node, p_ttl) then
    return;
  end if;

  -- The rest of a long journal goes first: what would be found now could not be deleted yet.
  if exists (select 1 from retention_watch w where w.purging) then
    return query select 1, 0, null::json;
    return;
  end if;

  select * into r from retention_recheck order by tenant, definition_id limit 1;
  if found then
    with page as (
      select w.tenant, w.definition_id, w.instance_id from retention_watch w
       where w.tenant = r.tenant and (w.definition_id, w.instance_id) > (greatest(r.after_definition, r.definition_id), r.after_id)
         and (r.definition_id = '' or w.definition_id = r.definition_id)
       order by w.definition_id, w.instance_id limit p_limit),
    due as (
      update retention_watch w set look_at = least(w.look_at, v_now) from page
       where w.tenant = page.tenant and w.definition_id = page.definition_id and w.instance_id = page.instance_id)
    select count(*), (array_agg(page.definition_id order by page.definition_id desc, page.instance_id desc))[1],
           (array_agg(page.instance_id order by page.definition_id desc, page.instance_id desc))[1]
      into v_count, v_definition, v_last from page;
    if v_count < p_limit then
      delete from retention_recheck x where x.tenant = r.tenant and x.definition_id = r.definition_id;
    else
      update retention_recheck x set after_definition = v_definition, after_id = v_last where x.tenant = r.tenant and x.definition_id = r.definition_id;
    end if;
    v_examined := v_examined + 1;
  end if;

  if (select count(*) from (select 1 from retention_watch w where w.look_at <= v_now limit p_limit) d) < p_limit then
    select * into t from maintenance_turn x where x.duty = 'retention';
    if t.walk_began_at is null or t.walk_began_at < v_now - interval '7 days' then
      t.walked_to := '00000000-0000-0000-0000-000000000000';
      update maintenance_turn x set walked_to = t.walked_to, walk_began_at = v_now where x.duty = 'retention';
    end if;
    select least((select min(x.keep_ms) from retention_rule x where x.keep_ms is not null), (select min(d.value::float8) from jsonb_each_text(p_keep) as d))
      into v_shortest;
    if v_shortest is not null then
      v_hex := lpad(to_hex(greatest(0, floor(extract(epoch from v_now) * 1000 - v_shortest))::bigint), 12, '0');
      with page as (
        select i.id, i.tenant, i.definition_id, i.created_at from instance i
         where i.id > t.walked_to and i.id < (substr(v_hex, 1, 8) || '-' || substr(v_hex, 9, 4) || '-0000-0000-000000000000')::uuid
         order by i.id limit p_limit),
      noted as (
        -- Due since they began: the oldest are looked at first.
        insert into retention_watch (tenant, definition_id, instance_id, look_at)
        select page.tenant, page.definition_id, page.id, page.created_at from page on conflict do nothing)
      select count(*), (array_agg(page.id order by page.id desc))[1] into v_count, v_last from page;
      if v_count > 0 then
        update maintenance_turn x set walked_to = v_last where x.duty = 'retention';
        v_examined := v_examined + v_count;
      end if;
    end if;
  end if;

  select coalesce(array_agg(d.instance_id), '{}'), coalesce(array_agg(d.tenant), '{}'), coalesce(array_agg(d.definition_id), '{}') into v_ids, v_tenants, v_definitions
    from (select w.* from retention_watch w where w.look_at <= v_now and not w.purging order by w.look_at limit p_limit) d;
  if cardinality(v_ids) > 0 then
    v_examined := v_examined + cardinality(v_ids);
    with judged as materialized (select j.*, x.ord from lockstep_retention_judge(v_ids, p_keep) j join unnest(v_ids) with ordinality as x(id, ord) on x.id = j.id),
    later as (
      update retention_watch w set look_at = judged.look_at from judged
       where judged.look_at is not null and w.tenant = judged.tenant and w.definition_id = judged.definition_id and w.instance_id = judged.id)
    select json_agg(json_build_object('tenant', g.tenant, 'instanceId', g.id, 'rows', g.rows) order by g.ord) into v_expired from (
      select judged.*, sum(judged.rows) over (order by judged.ord) - judged.rows as before from judged where judged.look_at is null) g
     where g.before = 0 or g.before + g.rows <= p_rows;
    delete from retention_watch w using unnest(v_ids, v_tenants, v_definitions) as g(id, tenant, definition)
     where w.tenant = g.tenant and w.definition_id = g.definition and w.instance_id = g.id
       and not exists (select 1 from instance i where i.id = g.id);
  end if;

  -- Other sessions of this role are enough: those of the cluster have one.
  return query
    select v_examined,
           (select count(*)::integer from pg_stat_activity s
             where s.datname = current_database() and s.pid <> pg_backend_pid() and s.state = 'active' and s.wait_event_type in ('Lock', 'LWLock', 'IO')),
           v_expired;
end $$;

-- Deletes ended instances with all that belongs to them. Judged once more under their locks: a rule, a hold or a second life may have come meanwhile.
create function lockstep_retention_remove(p_node uuid, p_ttl float8, p_keep jsonb, p_ids uuid[], p_rows bigint)
returns table (instances integer, rows integer)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_ids uuid[];
  v_long uuid[];
  v_count integer := 0;
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
    return query select 0, v_rows;
    return;
  end if;

  v_ids := array(select i.id from instance i where i.id = any (p_ids) and i.finished_at is not null order by i.id for update skip locked);
  select coalesce(array_agg(j.id), '{}'), coalesce(array_agg(j.id) filter (where j.rows > p_rows), '{}') into v_ids, v_long
    from lockstep_retention_judge(v_ids, p_keep) j where j.look_at is null;
  if cardinality(v_ids) > 0 then
    delete from bookmark b where b.instance_id = any (v_ids);
    delete from inbox m where m.instance_id = any (v_ids);
    delete from incident n where n.instance_id = any (v_ids);
    delete from schedule_run r where r.instance_id = any (v_ids) and not r.open;
    delete from journal j where j.instance_id = any (v_ids) and not (j.instance_id = any (v_long));
    get diagnostics v_rows = row_count;
    update retention_watch x set purging = true where x.instance_id = any (v_long)
       and (x.tenant, x.definition_id) in (select i.tenant, i.definition_id from instance i where i.id = any (v_long));
    delete from retention_watch x using instance i
     where i.id = any (v_ids) and not (i.id = any (v_long)) and x.tenant = i.tenant and x.definition_id = i.definition_id and x.instance_id = i.id;
    delete from instance i where i.id = any (v_ids);
    get diagnostics v_count = row_count;
  end if;
  return query select v_count, v_rows;
end $$;

-- What nobody can ask for any more. Nothing here waits for a lock.
create function lockstep_trim(p_node uuid, p_ttl float8, p_incidents float8, p_limit integer)
returns table (events integer, flushes integer, incidents integer)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_events integer := 0;
  v_flushes integer := 0;
  v_incidents integer := 0;
  v_ids uuid[];
  v_node uuid := '00000000-0000-0000-0000-000000000000';
  v_count integer;
begin
  if not lockstep_keep_turn('retention', p_node, p_ttl) then
    return;
  end if;

  v_ids := array(select e.id from event e where e.settled and e.expires_at <= clock_timestamp() order by e.expires_at limit p_limit for update skip locked);
  delete from event_delivery d where d.event_id = any (v_ids);
  delete from event e where e.id = any (v_ids);
  get diagnostics v_events = row_count;

  -- From node to node along the key. Whoever has no row has dropped what it could have asked about.
  for step in 1 .. 1000 loop
    select f.node_id into v_node from flush f where f.node_id > v_node order by f.node_id limit 1;
    exit when not found or v_flushes >= p_limit;
    continue when exists (select 1 from node n where n.id = v_node);
    delete from flush f
     where f.node_id = v_node
       and f.n = any (array(select x.n from flush x where x.node_id = v_node and x.at < clock_timestamp() - interval '1 hour' order by x.n limit p_limit - v_flushes));
    get diagnostics v_count = row_count;
    v_flushes := v_flushes + v_count;
  end loop;

  v_ids := array(select n.id from incident n where n.resolved_at <= clock_timestamp() - p_incidents * interval '1 millisecond'
                  order by n.resolved_at limit p_limit for update skip locked);
  delete from incident n where n.id = any (v_ids);
  get diagnostics v_incidents = row_count;
  return query select v_events, v_flushes, v_incidents;
end $$;

-- Mends rows that are still broken in the way that was found. What ended is locked first, so that nothing can revive it in between.
create function lockstep_repair(p_node uuid, p_code text, p_tenants text[], p_keys text[]) returns integer
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
  if p_code like 'BOOKMARK%' then
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
    -- Woken, it reads its journal and decides anew; whoever had nothing to do rests again.
    insert into agenda (instance_id, tenant, queue, due_at, claim_no)
    select i.id, i.tenant, i.queue, clock_timestamp(), i.claim_no from instance i
     where i.id = any (v_ids) and i.finished_at is null and i.status not in ('quarantined', 'paused')
       and not exists (select 1 from bookmark b where b.instance_id = i.id)
       and not exists (select 1 from instance c where c.parent_id = i.id and c.parent_step is not null and c.finished_at is null)
     order by i.id
    on conflict do nothing;
  else
    return 0;
  end if;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
