-- 0042_claim_by_place.sql  A claim finds the rows that it has locked by their place, not once more by their id. Replaces functions only.
-- compatible-from: 0017
-- A row that this transaction has locked stays where it is: nobody else can write it, and nothing else moves rows. `for update` answers the place of the
-- newest version, also where the row was written between the look and the lock. What nodes call stays as it was; lockstep_lock_due and lockstep_lock_new
-- stay for calls that are under way, and go with a later migration.

-- Locks up to p_limit rows that have run before, by their due time (index agenda_due).
create function lockstep_due_rows(p_queues text[], p_from timestamptz, p_to timestamptz, p_limit integer) returns tid[]
language plpgsql as $$
begin
  return array(
    select t.place
      from unnest(p_queues) as q(queue)
     cross join lateral (
       select a.ctid as place, a.due_at from agenda a
        where a.queue = q.queue and a.claimed_by is null and a.claim_no > 0 and a.due_at >= p_from and a.due_at <= p_to
        order by a.due_at limit p_limit for update skip locked) t
     order by t.due_at limit p_limit);
end $$;

-- Locks up to p_limit new rows, the tenants in turn from the one after p_after, each with its oldest. ring: the last tenant that had its turn.
-- The tenants are found by jumps along the index, some at a time; who gives less than its share leaves the rest to the others.
create function lockstep_new_rows(p_queues text[], p_after text, p_from timestamptz, p_to timestamptz, p_limit integer, out places tid[], out ring text)
language plpgsql as $$
declare
  -- Rows of one tenant lie together and cost one jump: some tenants with several rows each are cheaper than many with one.
  v_each integer := least(10, p_limit);
  v_after text := coalesce(p_after, '');
  v_until text;
  v_queues text[];
  v_tenants text[];
  v_edge text;
  v_share integer;
  v_count integer;
  v_skip integer;
  v_taken tid[];
begin
  places := '{}';
  ring := p_after;
  -- Nearly always one tenant alone has work. Seen so without a step over the dead entries that it has left behind: the floor is for those.
  if p_after > ''
     and not exists (select 1 from unnest(p_queues) as q(queue)
                      cross join lateral (select 1 from agenda a where a.queue = q.queue and a.claimed_by is null and a.claim_no = 0 and a.tenant > p_after limit 1) x)
     and not exists (select 1 from unnest(p_queues) as q(queue)
                      cross join lateral (select 1 from agenda a where a.queue = q.queue and a.claimed_by is null and a.claim_no = 0 and a.tenant < p_after limit 1) x) then
    places := array(
      select t.place
        from unnest(p_queues) as q(queue)
       cross join lateral (
         select a.ctid as place, a.due_at from agenda a
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
      v_share := ceil((p_limit - cardinality(places))::float8 / cardinality(v_tenants));
      v_count := ceil((p_limit - cardinality(places))::float8 / v_share);
      if v_count < cardinality(v_tenants) then
        v_queues := v_queues[1:v_count];
        v_tenants := v_tenants[1:v_count];
        v_edge := v_tenants[v_count];
      end if;
      ring := v_tenants[cardinality(v_tenants)];
      places := places || array(
        select t.place
          from unnest(v_queues, v_tenants) as w(queue, tenant)
         cross join lateral (
           select a.ctid as place from agenda a
            where a.queue = w.queue and a.tenant = w.tenant and a.claimed_by is null and a.claim_no = 0 and a.due_at >= p_from and a.due_at <= p_to
            order by a.due_at limit v_share for update skip locked) t
         limit p_limit - cardinality(places));
      -- Those who have more. What this transaction holds is not skipped: it is passed over by number.
      v_skip := v_share;
      while cardinality(places) < p_limit and v_edge is null loop
        v_taken := array(
          select t.place
            from unnest(v_queues, v_tenants) as w(queue, tenant)
           cross join lateral (
             select a.ctid as place from agenda a
              where a.queue = w.queue and a.tenant = w.tenant and a.claimed_by is null and a.claim_no = 0 and a.due_at >= p_from and a.due_at <= p_to
              order by a.due_at offset v_skip limit v_share for update skip locked) t
           limit p_limit - cardinality(places));
        exit when cardinality(v_taken) = 0;
        places := places || v_taken;
        v_skip := v_skip + v_share;
        v_share := 2 * v_share;
      end loop;
    end if;
    exit when cardinality(places) >= p_limit;

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

-- As in 0029, where the rows are. ring: the same in all rows.
create or replace function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8, p_after text, p_new integer)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json, ring text)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_from timestamptz := coalesce(v_now - p_floor * interval '1 millisecond', '-infinity');
  v_to timestamptz := v_now + p_ahead * interval '1 millisecond';
  v_rows tid[] := lockstep_due_rows(p_queues, v_from, v_now, p_limit);
  v_new tid[];
  v_left integer := p_new;
  v_ring text := p_after;
  v_format smallint;
begin
  if cardinality(v_rows) < p_limit and v_left > 0 then
    select n.places, n.ring into v_new, v_ring from lockstep_new_rows(p_queues, p_after, v_from, v_now, least(v_left, p_limit - cardinality(v_rows))) n;
    v_rows := v_rows || v_new;
    v_left := v_left - cardinality(v_new);
  end if;
  if cardinality(v_rows) < p_limit and p_ahead > 0 then
    v_rows := v_rows || lockstep_due_rows(p_queues, v_now, v_to, p_limit - cardinality(v_rows));
  end if;
  if cardinality(v_rows) < p_limit and p_ahead > 0 and v_left > 0 then
    select n.places into v_new from lockstep_new_rows(p_queues, p_after, v_now, v_to, least(v_left, p_limit - cardinality(v_rows))) n;
    v_rows := v_rows || v_new;
  end if;
  if cardinality(v_rows) = 0 then
    return;
  end if;
  select n.state_format into v_format from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  if v_format < 2 then
    v_rows := array(
      select a.ctid from agenda a
       where a.ctid = any (v_rows)
         and a.instance_id = any (lockstep_readable(array(select b.instance_id from agenda b where b.ctid = any (v_rows)), v_format)));
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.ctid = any (v_rows)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              -- The rows were locked before this statement's snapshot: what their counters count is in it.
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end,
              v_ring;
end $$;

-- For nodes of before 0023: all of them may be new starts.
create or replace function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8, p_after text)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json, ring text)
language sql as $$
  select * from lockstep_claim(p_node, p_queues, p_limit, p_ahead, p_floor, p_after, p_limit)
$$;
