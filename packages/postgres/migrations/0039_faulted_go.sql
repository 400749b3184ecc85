-- 0039_faulted_go.sql  Faulted instances go after their time, whether or not somebody resolved their incident: nearly every one of them has an open one, so
-- that keeping these for ever meant to keep all. Who wants that says so: a rule or an option for `unresolved`. Tasks that are over go too where no new ones come.
-- Replaces functions; locks nothing that exists. A node that does not know this sends no word about it, and keeps what it kept.
-- compatible-from: 0017

-- As in 0010, but where nobody says how long unresolved ones are kept, what is said of faulted ones holds.
create or replace function lockstep_retention_judge(p_ids uuid[], p_keep jsonb)
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
       select i.status = 'faulted' and exists (select 1 from incident n where n.instance_id = i.id and n.resolved_at is null) as so) unresolved
     cross join lateral (
       select case when unresolved.so then 'unresolved' else i.status end as aspect,
              case when unresolved.so and p_keep ? 'unresolved as faulted' then 'faulted' end as otherwise) k
      left join lateral (
        select x.keep_ms, 1 as found from retention_rule x
         where x.tenant = i.tenant and x.subject in ('*', 'definition:' || i.definition_id) and x.aspect in (k.aspect, k.otherwise)
         order by x.aspect = k.aspect desc, x.subject <> '*' desc limit 1) said on true
     cross join lateral (select case when said.found = 1 then said.keep_ms else (p_keep ->> coalesce(k.otherwise, k.aspect))::float8 end as ms) keep
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

-- As in 0010, and counts the incidents that go with their instances.
drop function lockstep_retention_remove(uuid, float8, jsonb, uuid[], bigint);
create function lockstep_retention_remove(p_node uuid, p_ttl float8, p_keep jsonb, p_ids uuid[], p_rows bigint)
returns table (instances integer, rows integer, incidents integer)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  v_ids uuid[];
  v_long uuid[];
  v_count integer := 0;
  v_rows integer := 0;
  v_incidents integer := 0;
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
  select coalesce(array_agg(j.id), '{}'), coalesce(array_agg(j.id) filter (where j.rows > p_rows), '{}') into v_ids, v_long
    from lockstep_retention_judge(v_ids, p_keep) j where j.look_at is null;
  if cardinality(v_ids) > 0 then
    delete from bookmark b where b.instance_id = any (v_ids);
    delete from inbox m where m.instance_id = any (v_ids);
    delete from incident n where n.instance_id = any (v_ids);
    get diagnostics v_incidents = row_count;
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
  return query select v_count, v_rows, v_incidents;
end $$;

-- As in 0016, so many of each kind. Until now they went only with tasks that were opened later, and stayed where none was.
create function lockstep_sweep_tasks(p_limit integer) returns void
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_ids uuid[];
begin
  v_ids := array(select t.id from task t where t.kept_until < v_now order by t.kept_until limit p_limit for update skip locked);
  if cardinality(v_ids) > 0 then
    update task t set kept_until = v_now + interval '1 day'
     where t.id = any (v_ids) and t.status = 'open' and exists (select 1 from bookmark b where b.id = t.id and b.tenant = t.tenant);
    delete from task t where t.id = any (v_ids) and t.kept_until < v_now;
  end if;
  v_ids := array(select t.id from human_task t where t.kept_until < v_now order by t.kept_until limit p_limit for update skip locked);
  if cardinality(v_ids) > 0 then
    update human_task t set kept_until = v_now + interval '1 day'
     where t.id = any (v_ids) and t.status = 'open' and exists (select 1 from bookmark b where b.id = t.id and b.tenant = t.tenant);
    delete from human_task t where t.id = any (v_ids) and t.kept_until < v_now;
  end if;
  delete from resume_token r where (r.tenant, r.hash) in (
    select x.tenant, x.hash from resume_token x where x.expires_at < v_now - interval '7 days' order by x.expires_at limit p_limit for update skip locked);
end $$;
create or replace function lockstep_sweep_tasks() returns void
language sql as 'select lockstep_sweep_tasks(20)';

-- As in 0010, and rows of tasks that nobody will ask for.
create or replace function lockstep_trim(p_node uuid, p_ttl float8, p_incidents float8, p_limit integer)
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

  perform lockstep_sweep_tasks(p_limit);
  return query select v_events, v_flushes, v_incidents;
end $$;
