-- 0015_step_limits.sql  Who may run a step now: permits, breakers, progress (DESIGN §3, step policies). New tables only: no lock on anything that exists.
-- Order of locks: node, step_limit (by tenant, kind, key), step_permit, agenda (by instance). Commits touch none of the first three tables.

-- One row per key that a step has asked for. What the last step that asked declares, and what an operator set instead.
-- `kind`: `limit` is a key of the policy of that name; `lock` is the line in front of a resource lock, which lets one in at a time.
create table step_limit (
  tenant         text not null,
  kind           text not null check (kind in ('limit', 'lock')),
  key            text not null,
  concurrency    integer,
  rate_limit     integer,
  rate_ms        bigint,
  set_at         timestamptz,
  set_concurrency integer,
  set_rate_limit integer,
  set_rate_ms    bigint,
  ticket         bigint not null default 0,
  grants         bigint not null default 0,
  used_at        timestamptz not null default clock_timestamp(),
  primary key (tenant, kind, key)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- With a node: an attempt that may run; it goes with the row of its node. Without: a place in the line, in the order of tickets.
-- `called_at`: it was told that its turn has come. `breaker` rows are no line: they say who waits, and until when.
create table step_permit (
  tenant      text not null,
  kind        text not null check (kind in ('limit', 'lock', 'breaker')),
  key         text not null,
  instance_id uuid not null,
  step        text not null,
  ticket      bigint not null,
  asked_at    timestamptz not null,
  called_at   timestamptz,
  until_at    timestamptz,
  node_id     uuid references node (id) on delete cascade,
  granted_at  timestamptz,
  primary key (tenant, kind, key, instance_id, step)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index step_permit_line on step_permit (tenant, kind, key, ticket) where node_id is null;
create index step_permit_held on step_permit (tenant, kind, key) where node_id is not null;
create index step_permit_node on step_permit (node_id) where node_id is not null;
create index step_permit_instance on step_permit (instance_id);

-- When the last `rate_limit` permits were given, by their number: grant n may be given when grant n - rate_limit is a period old.
create table step_rate (
  tenant text not null,
  kind   text not null,
  key    text not null,
  n      bigint not null,
  at     timestamptz not null,
  primary key (tenant, kind, key, n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- `generation` rises with every change: whoever decided on an older one is refused. The probe goes with the row of its node.
create table step_breaker (
  tenant      text not null,
  key         text not null,
  state       text not null check (state in ('closed', 'open', 'half-open')),
  generation  bigint not null default 1,
  open_ms     bigint not null,
  needed      integer not null default 1,
  passed      integer not null default 0,
  open_until  timestamptz,
  opened_at   timestamptz,
  reason      text,
  probe_node  uuid references node (id) on delete set null,
  probe_until timestamptz,
  changed_at  timestamptz not null default clock_timestamp(),
  primary key (tenant, key)
);
create index step_breaker_probe on step_breaker (probe_node) where probe_node is not null;

-- The newest word of a running step. It goes when the step has ended.
create table step_progress (
  tenant      text not null,
  instance_id uuid not null,
  step        text not null,
  attempt     integer not null,
  fraction    float8,
  done        float8,
  total       float8,
  note        text,
  beat        json,
  at          timestamptz not null,
  primary key (instance_id, step, tenant)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Gives back what has ended (g_*), asks for more (a_*), and lets in whoever is next, key by key. A key that appears in either is looked at, so a
-- row of g_* that names nobody is a way to say "look again". One who is here and among the first is let in; one who is among the first and not
-- here is called: his instance becomes due, and its counter rises, so that an owner who is about to suspend it learns of it. Whoever does
-- not come within p_patience loses his place.
-- The rate counts when somebody is let in, not when he is called. waits_ms: when a rate will let him in at the earliest.
create function lockstep_step_permits(
  p_node uuid, p_patience float8,
  g_tenant text[], g_kind text[], g_key text[], g_instance uuid[], g_step text[], g_back boolean[],
  a_tenant text[], a_kind text[], a_key text[], a_instance uuid[], a_step text[], a_concurrency integer[], a_rate_limit integer[], a_rate_ms bigint[]
) returns table (granted boolean[], ahead bigint[], waited_ms float8[], waits_ms float8[], called uuid[])
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  k record;
  w record;
  l step_limit;
  v_now timestamptz;
  v_here text[];
  v_free bigint;
  v_held bigint;
  v_recent bigint;
  v_concurrency integer;
  v_rate_limit integer;
  v_rate_ms bigint;
  v_first bigint;
  v_added integer;
  v_called uuid[] := '{}';
  v_wait float8;
  v_granted boolean[] := array_fill(false, array[greatest(cardinality(a_key), 1)]);
  v_ahead bigint[] := array_fill(0::bigint, array[greatest(cardinality(a_key), 1)]);
  v_waited float8[] := array_fill(0::float8, array[greatest(cardinality(a_key), 1)]);
  v_waits float8[] := array_fill(null::float8, array[greatest(cardinality(a_key), 1)]);
begin
  if p_node is not null then
    perform 1 from node n where n.id = p_node and not n.doomed for key share;
    if not found then
      raise exception 'node % was buried', p_node using errcode = 'LS001';
    end if;
  end if;

  for k in
    select x.tenant, x.kind, x.key, max(x.ord) as ord
      from (select a.tenant, a.kind, a.key, a.ord from unnest(a_tenant, a_kind, a_key) with ordinality as a(tenant, kind, key, ord)
            union all
            select g.tenant, g.kind, g.key, 0 from unnest(g_tenant, g_kind, g_key) as g(tenant, kind, key)) x
     group by 1, 2, 3 order by 1, 2, 3
  loop
    -- Meets the row or makes it, and holds it from here on.
    if k.ord > 0 then
      insert into step_limit as s (tenant, kind, key, concurrency, rate_limit, rate_ms)
      values (k.tenant, k.kind, k.key, a_concurrency[k.ord], a_rate_limit[k.ord], a_rate_ms[k.ord])
      on conflict (tenant, kind, key) do update
         set concurrency = excluded.concurrency, rate_limit = excluded.rate_limit, rate_ms = excluded.rate_ms, used_at = excluded.used_at
       where (s.concurrency, s.rate_limit, s.rate_ms) is distinct from (excluded.concurrency, excluded.rate_limit, excluded.rate_ms)
          or s.used_at < excluded.used_at - interval '1 hour';
    end if;
    select * into l from step_limit s where s.tenant = k.tenant and s.kind = k.kind and s.key = k.key for update;
    v_now := clock_timestamp();

    delete from step_permit p
     using (select g.instance, g.step from unnest(g_tenant, g_kind, g_key, g_instance, g_step, g_back) as g(tenant, kind, key, instance, step, back)
             where g.tenant = k.tenant and g.kind = k.kind and g.key = k.key and not g.back) o
     where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.instance_id = o.instance and p.step = o.step
       and (p.node_id is null or p.node_id = p_node);
    update step_permit p set node_id = null, granted_at = null, called_at = v_now
      from (select g.instance, g.step from unnest(g_tenant, g_kind, g_key, g_instance, g_step, g_back) as g(tenant, kind, key, instance, step, back)
             where g.tenant = k.tenant and g.kind = k.kind and g.key = k.key and g.back) o
     where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.instance_id = o.instance and p.step = o.step and p.node_id = p_node;
    if l.key is null then
      continue;   -- nobody ever asked
    end if;

    v_here := array(select a.instance::text || ' ' || a.step
                      from unnest(a_tenant, a_kind, a_key, a_instance, a_step) as a(tenant, kind, key, instance, step)
                     where a.tenant = k.tenant and a.kind = k.kind and a.key = k.key);
    -- Called, and not come.
    delete from step_permit p
     where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.node_id is null
       and p.called_at < v_now - p_patience * interval '1 millisecond' and not (p.instance_id::text || ' ' || p.step = any (v_here));

    if cardinality(v_here) > 0 then
      insert into step_permit (tenant, kind, key, instance_id, step, ticket, asked_at)
      select k.tenant, k.kind, k.key, a.instance, a.step, l.ticket + row_number() over (order by a.ord), v_now
        from (select x.instance, x.step, min(x.ord) as ord
                from unnest(a_tenant, a_kind, a_key, a_instance, a_step) with ordinality as x(tenant, kind, key, instance, step, ord)
               where x.tenant = k.tenant and x.kind = k.kind and x.key = k.key group by 1, 2) a
      on conflict (tenant, kind, key, instance_id, step) do nothing;
      get diagnostics v_added = row_count;
      if v_added > 0 then
        l.ticket := l.ticket + cardinality(v_here);
        update step_limit s set ticket = l.ticket where s.tenant = k.tenant and s.kind = k.kind and s.key = k.key;
      end if;
    end if;

    -- What an operator set replaces what the step declares, as a whole.
    v_concurrency := case when l.set_at is null then l.concurrency else l.set_concurrency end;
    v_rate_limit := case when l.set_at is null then l.rate_limit else l.set_rate_limit end;
    v_rate_ms := case when l.set_at is null then l.rate_ms else l.set_rate_ms end;
    v_free := 1000000;
    if v_concurrency is not null then
      select count(*) into v_held from step_permit p where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.node_id is not null;
      v_free := greatest(0, v_concurrency - v_held);
    end if;
    if v_rate_limit is not null then
      select count(*) into v_recent from step_rate r
       where r.tenant = k.tenant and r.kind = k.kind and r.key = k.key and r.n > l.grants - v_rate_limit
         and r.at > v_now - v_rate_ms * interval '1 millisecond';
      v_free := least(v_free, greatest(0, v_rate_limit - v_recent));
    end if;

    for w in
      select p.instance_id, p.step, p.called_at, p.instance_id::text || ' ' || p.step = any (v_here) as here from step_permit p
       where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.node_id is null order by p.ticket
    loop
      exit when v_free <= 0;
      v_free := v_free - 1;
      if w.here then
        update step_permit p set node_id = p_node, granted_at = v_now, called_at = null
         where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.instance_id = w.instance_id and p.step = w.step;
        if v_rate_limit is not null then
          l.grants := l.grants + 1;
          insert into step_rate (tenant, kind, key, n, at) values (k.tenant, k.kind, k.key, l.grants, v_now);
        end if;
      elsif not exists (select 1 from agenda a where a.instance_id = w.instance_id) then
        -- Ended, or put aside: nobody will come.
        delete from step_permit p
         where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.instance_id = w.instance_id and p.step = w.step;
        v_free := v_free + 1;
      elsif w.called_at is null then
        v_called := v_called || w.instance_id;
        update step_permit p set called_at = v_now
         where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.instance_id = w.instance_id and p.step = w.step;
      end if;
    end loop;
    if v_rate_limit is not null then
      delete from step_rate r where r.tenant = k.tenant and r.kind = k.kind and r.key = k.key and r.n <= l.grants - v_rate_limit;
      update step_limit s set grants = l.grants where s.tenant = k.tenant and s.kind = k.kind and s.key = k.key and s.grants <> l.grants;
    end if;

    if cardinality(v_here) > 0 then
      select min(p.ticket) into v_first from step_permit p where p.tenant = k.tenant and p.kind = k.kind and p.key = k.key and p.node_id is null;
      for w in
        select a.ord, p.node_id = p_node as mine, p.node_id is null as waits, p.ticket - v_first as ahead, p.asked_at
          from unnest(a_tenant, a_kind, a_key, a_instance, a_step) with ordinality as a(tenant, kind, key, instance, step, ord)
          join step_permit p on p.tenant = a.tenant and p.kind = a.kind and p.key = a.key and p.instance_id = a.instance and p.step = a.step
         where a.tenant = k.tenant and a.kind = k.kind and a.key = k.key
      loop
        v_granted[w.ord] := coalesce(w.mine, false);
        v_ahead[w.ord] := coalesce(w.ahead, 0);
        v_waited[w.ord] := extract(epoch from v_now - w.asked_at)::float8 * 1000;
        if w.waits and v_rate_limit is not null then
          select greatest(0, extract(epoch from r.at - v_now)::float8 * 1000 + v_rate_ms) into v_wait from step_rate r
           where r.tenant = k.tenant and r.kind = k.kind and r.key = k.key and r.n = l.grants - v_rate_limit + 1 + v_ahead[w.ord] % v_rate_limit;
          v_waits[w.ord] := coalesce(v_wait, 0) + (v_ahead[w.ord] / v_rate_limit) * v_rate_ms;
        end if;
      end loop;
    end if;
  end loop;

  if cardinality(v_called) > 0 then
    perform 1 from agenda a where a.instance_id = any (v_called) order by a.instance_id for update;
    update agenda a set stim = a.stim + 1, due_at = least(a.due_at, clock_timestamp()) where a.instance_id = any (v_called);
  end if;

  return query select v_granted, v_ahead, v_waited, v_waits, v_called;
end $$;
