-- 0014_fair_claim.sql  Tenants take turns when new starts are claimed (DESIGN §3, ADR 0005). Lock: agenda, for as long as two indexes of a waiting agenda take.
-- One index becomes two, and each row is in one of them: nothing is paid twice. What has run before is taken by its due time, as it was. New
-- starts stand by tenant: whoever is in that index has work now (a start is due when it is made), so that no look at a tenant is in vain, and
-- an idle cluster with a million timers of a thousand tenants looks at nothing.
drop index agenda_due;
create index agenda_due on agenda (queue, due_at) where claimed_by is null and claim_no > 0;
create index agenda_new on agenda (queue, tenant, due_at) where claimed_by is null and claim_no = 0;

-- Locks up to p_limit new rows, the tenants in turn from the one after p_after, each with its oldest. ring: the last tenant that had its turn.
-- The tenants are found by jumps along the index, some at a time; who gives less than its share leaves the rest to the others.
create function lockstep_lock_new(p_queues text[], p_after text, p_from timestamptz, p_to timestamptz, p_limit integer, out ids uuid[], out ring text)
language plpgsql as $$
declare
  -- Rows of one tenant lie together and cost one jump: some tenants with several rows each are cheaper than many with one.
  v_each integer := least(16, p_limit);
  v_after text := coalesce(p_after, '');
  v_until text;
  v_queues text[];
  v_tenants text[];
  v_edge text;
  v_share integer;
  v_count integer;
  v_skip integer;
  v_taken uuid[];
begin
  ids := '{}';
  ring := p_after;
  -- Nearly always one tenant alone has work. Seen so without a step over the dead entries that it has left behind: the floor is for those.
  if p_after > ''
     and not exists (select 1 from unnest(p_queues) as q(queue)
                      cross join lateral (select 1 from agenda a where a.queue = q.queue and a.claimed_by is null and a.claim_no = 0 and a.tenant > p_after limit 1) x)
     and not exists (select 1 from unnest(p_queues) as q(queue)
                      cross join lateral (select 1 from agenda a where a.queue = q.queue and a.claimed_by is null and a.claim_no = 0 and a.tenant < p_after limit 1) x) then
    ids := array(
      select t.instance_id
        from unnest(p_queues) as q(queue)
       cross join lateral (
         select a.instance_id, a.due_at from agenda a
          where a.queue = q.queue and a.tenant = p_after and a.claimed_by is null and a.claim_no = 0 and a.due_at >= p_from and a.due_at <= p_to
          order by a.due_at limit p_limit for update skip locked) t
       order by t.due_at limit p_limit);
    return;
  end if;

  loop
    with recursive step as (
      select q.queue, 1 as n, (select a.tenant from agenda a where a.queue = q.queue and a.claimed_by is null and a.claim_no = 0 and a.tenant > v_after and a.due_at >= p_from
                                order by a.tenant limit 1) as tenant
        from unnest(p_queues) as q(queue)
      union all
      select s.queue, s.n + 1, (select a.tenant from agenda a where a.queue = s.queue and a.claimed_by is null and a.claim_no = 0 and a.tenant > s.tenant and a.due_at >= p_from
                                 order by a.tenant limit 1)
        from step s where s.n < v_each and s.tenant is not null and (v_until is null or s.tenant <= v_until))
    select array_agg(s.queue order by s.tenant), array_agg(s.tenant order by s.tenant), min(s.tenant) filter (where s.n = v_each)
      into v_queues, v_tenants, v_edge
      from step s where s.tenant is not null and (v_until is null or s.tenant <= v_until);
    -- Where a queue has more tenants than were looked for, those beyond its last one are not complete yet.
    if v_edge is not null and v_edge < v_tenants[cardinality(v_tenants)] then
      v_queues := v_queues[1:width_bucket(v_edge, v_tenants)];
      v_tenants := v_tenants[1:width_bucket(v_edge, v_tenants)];
    end if;
    if cardinality(v_tenants) > 0 then
      -- As many as fill the limit with their shares: a tenant that only the limit passes over would miss its turn.
      v_share := ceil((p_limit - cardinality(ids))::float8 / cardinality(v_tenants));
      v_count := ceil((p_limit - cardinality(ids))::float8 / v_share);
      if v_count < cardinality(v_tenants) then
        v_queues := v_queues[1:v_count];
        v_tenants := v_tenants[1:v_count];
        v_edge := v_tenants[v_count];
      end if;
      ring := v_tenants[cardinality(v_tenants)];
      ids := ids || array(
        select t.instance_id
          from unnest(v_queues, v_tenants) as w(queue, tenant)
         cross join lateral (
           select a.instance_id from agenda a
            where a.queue = w.queue and a.tenant = w.tenant and a.claimed_by is null and a.claim_no = 0 and a.due_at >= p_from and a.due_at <= p_to
            order by a.due_at limit v_share for update skip locked) t
         limit p_limit - cardinality(ids));
      -- Those who have more. What this transaction holds is not skipped: it is passed over by number.
      v_skip := v_share;
      while cardinality(ids) < p_limit and v_edge is null loop
        v_taken := array(
          select t.instance_id
            from unnest(v_queues, v_tenants) as w(queue, tenant)
           cross join lateral (
             select a.instance_id from agenda a
              where a.queue = w.queue and a.tenant = w.tenant and a.claimed_by is null and a.claim_no = 0 and a.due_at >= p_from and a.due_at <= p_to
              order by a.due_at offset v_skip limit v_share for update skip locked) t
           limit p_limit - cardinality(ids));
        exit when cardinality(v_taken) = 0;
        ids := ids || v_taken;
        v_skip := v_skip + v_share;
        v_share := 2 * v_share;
      end loop;
    end if;
    exit when cardinality(ids) >= p_limit;

    if v_edge is not null then
      v_after := ring;
    elsif v_until is null and p_after > '' then
      -- Round to where it began.
      v_after := '';
      v_until := p_after;
    else
      exit;
    end if;
  end loop;
end $$;

-- As before for what has run before. Nodes of the version before call it for new rows too.
create or replace function lockstep_lock_due(p_queues text[], p_new boolean, p_from timestamptz, p_to timestamptz, p_limit integer) returns uuid[]
language plpgsql as $$
begin
  if p_new then
    return (lockstep_lock_new(p_queues, '', p_from, p_to, p_limit)).ids;
  end if;
  return array(
    select t.instance_id
      from unnest(p_queues) as q(queue)
     cross join lateral (
       select a.instance_id, a.due_at from agenda a
        where a.queue = q.queue and a.claimed_by is null and a.claim_no > 0 and a.due_at >= p_from and a.due_at <= p_to
        order by a.due_at limit p_limit for update skip locked) t
     order by t.due_at limit p_limit);
end $$;

-- As in 0007. p_after: the tenant that had the last turn; ring: the one that has it now, in one of the rows.
create function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8, p_after text)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json, ring text)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_from timestamptz := coalesce(v_now - p_floor * interval '1 millisecond', '-infinity');
  v_to timestamptz := v_now + p_ahead * interval '1 millisecond';
  v_ids uuid[] := lockstep_lock_due(p_queues, false, v_from, v_now, p_limit);
  v_new uuid[];
  v_ring text := p_after;
begin
  if cardinality(v_ids) < p_limit then
    select n.ids, n.ring into v_new, v_ring from lockstep_lock_new(p_queues, p_after, v_from, v_now, p_limit - cardinality(v_ids)) n;
    v_ids := v_ids || v_new;
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    v_ids := v_ids || lockstep_lock_due(p_queues, false, v_now, v_to, p_limit - cardinality(v_ids));
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    select n.ids into v_new from lockstep_lock_new(p_queues, p_after, v_now, v_to, p_limit - cardinality(v_ids)) n;
    v_ids := v_ids || v_new;
  end if;
  if cardinality(v_ids) = 0 then
    return;
  end if;
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.instance_id = any (v_ids)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              -- The rows were locked before this statement's snapshot: what their counters count is in it.
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end,
              case when a.instance_id = v_ids[1] then v_ring end;
end $$;
