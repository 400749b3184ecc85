-- 0003_commit.sql  The one function through which a node writes instances (DESIGN §2, ADR 0002, core review F1-F13).
-- Order of locks: node, bookmark (by hash), agenda (in the caller's order, sorted by instance), event, inserts.
-- Arrays run in parallel; c_* holds one element per checkpoint, sorted by instance, so that width_bucket(id, c_id) is its ordinal; other
-- arrays name their checkpoint by that ordinal in `item`, rising. Tables are reached by `= any (ids)` or by a lateral probe, never by a free
-- join with unnest (the connection forbids sequential scans and makes plans once, see engine-settings.ts): statistics that call a table empty (a vacuum at a quiet moment) turn such a join around and walk the whole table.
-- p_strict: a refused checkpoint raises LS002 and takes everything with it; for transactions that hold a user's statements too.
-- c_mode: 0 hold · 1 hold, only if no stimulus was missed · 2 leave the agenda (ended, or waiting for the outside) · 3 wait until due
create function lockstep_commit(
  p_node uuid, p_n bigint,
  s_id uuid[], s_tenant text[], s_definition text[], s_version integer[], s_correlation text[], s_dedupe text[],
  s_parent uuid[], s_parent_step text[], s_queue text[], s_claimed boolean[], s_due_in float8[], s_data json,
  c_id uuid[], c_tenant text[], c_claim integer[], c_prev integer[], c_stim integer[], c_mode smallint[], c_due_at float8[], c_due_in float8[],
  f_item integer[], f_seq integer[], f_kind text[], f_data json,
  i_item integer[], i_status text[], i_seq integer[], i_ended boolean[],
  n_item integer[], n_seq integer[], n_data json,
  b_item integer[], b_id uuid[], b_step text[], b_kind text[], b_name text[], b_correlation text[], b_hash text[], b_token text[], b_expires_in float8[],
  x_item integer[], x_bookmark uuid[],
  m_item integer[], m_message bigint[],
  e_item integer[], e_id uuid[], e_tenant text[], e_name text[], e_correlation text[], e_ttl float8[], e_payload json,
  t_item integer[], t_id uuid[], t_step text[], t_fingerprint text[], t_code text[], t_message text[],
  r_item integer[], r_parent uuid[], r_step text[], r_payload json,
  v_item integer[],
  p_strict boolean
) returns table (at float8, started uuid[], versions integer[], lost integer[], stimulated integer[], woken integer)
language plpgsql as $$
declare
  v_at timestamptz;
  v_pos bigint;
  v_started uuid[] := '{}';
  v_versions integer[] := '{}';
  v_fit integer[];
  v_leaving integer[];
  v_leaving_ids uuid[];
  v_leaving_stims bigint;
  v_pausing integer[];
  v_pausing_ids uuid[];
  v_pausing_stims bigint;
  v_ids uuid[];
  v_stims integer[];
  v_sum bigint;
  v_lost integer[] := '{}';
  v_stimulated integer[] := '{}';
  v_refused integer[] := '{}';
  v_count integer := 0;
  v_woken integer := 0;
begin
  -- The fence: judged on the newest row, and before any snapshot that a write below could use.
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  v_at := clock_timestamp();
  v_pos := pg_current_xact_id()::text::bigint << 20;
  insert into flush (node_id, n, at) values (p_node, p_n, v_at);

  if cardinality(s_id) > 0 then
    -- Two shapes: an insert that may meet a key writes twice as much.
    if cardinality(array_remove(s_dedupe, null)) = 0 then
      with born as (
        insert into instance (id, tenant, definition_id, version, correlation_id, dedupe_key, parent_id, parent_step, queue, created_at, status, claim_no)
        select s.id, s.tenant, s.definition, coalesce(s.version, d.published), s.correlation, s.dedupe, s.parent, s.parent_step, s.queue, v_at,
               case when s.claimed then 'running' else 'queued' end, case when s.claimed then 1 else 0 end
          from unnest(s_id, s_tenant, s_definition, s_version, s_correlation, s_dedupe, s_parent, s_parent_step, s_queue, s_claimed)
               as s(id, tenant, definition, version, correlation, dedupe, parent, parent_step, queue, claimed)
          join definition d on d.id = s.definition and d.tenant = s.tenant
         where coalesce(s.version, d.published) is not null
        returning instance.id, instance.version)
      select coalesce(array_agg(born.id), '{}'), coalesce(array_agg(born.version), '{}') into v_started, v_versions from born;
    else
      with born as (
        insert into instance (id, tenant, definition_id, version, correlation_id, dedupe_key, parent_id, parent_step, queue, created_at, status, claim_no)
        select s.id, s.tenant, s.definition, coalesce(s.version, d.published), s.correlation, s.dedupe, s.parent, s.parent_step, s.queue, v_at,
               case when s.claimed then 'running' else 'queued' end, case when s.claimed then 1 else 0 end
          from unnest(s_id, s_tenant, s_definition, s_version, s_correlation, s_dedupe, s_parent, s_parent_step, s_queue, s_claimed) with ordinality
               as s(id, tenant, definition, version, correlation, dedupe, parent, parent_step, queue, claimed, ord)
          join definition d on d.id = s.definition and d.tenant = s.tenant
         where coalesce(s.version, d.published) is not null
         order by s.ord
        on conflict (tenant, definition_id, dedupe_key) where dedupe_key is not null do nothing
        returning instance.id, instance.version)
      select coalesce(array_agg(born.id), '{}'), coalesce(array_agg(born.version), '{}') into v_started, v_versions from born;
    end if;

    insert into agenda (instance_id, tenant, queue, due_at, claimed_by, claim_no, crashes)
    select s.id, s.tenant, s.queue, v_at + s.due_in * interval '1 millisecond', case when s.claimed then p_node end,
           case when s.claimed then 1 else 0 end, case when s.claimed then 1 else 0 end
      from unnest(s_id, s_tenant, s_queue, s_claimed, s_due_in) as s(id, tenant, queue, claimed, due_in)
     where cardinality(v_started) = cardinality(s_id) or s.id = any (v_started);

    insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
    select s.id, 1, case when s.claimed then 1 else 0 end, v_pos + s.ord, v_at, p_node, s.tenant, 'started', s.data
      from rows from (unnest(s_id), unnest(s_tenant), unnest(s_claimed), json_array_elements(s_data)) with ordinality as s(id, tenant, claimed, data, ord)
     where cardinality(v_started) = cardinality(s_id) or s.id = any (v_started);
    v_pos := v_pos + cardinality(s_id);
  end if;

  if cardinality(c_id) > 0 then
    if cardinality(x_bookmark) > 0 then
      perform 1 from bookmark b where b.id = any (x_bookmark) order by b.hash for update;
    end if;

    -- Rows that will be deleted and rows that will be given back, in one order for both: else an event that wakes several of them
    -- deadlocks with this. With one kind alone the statement below has that order.
    if 2 = any (c_mode) and 3 = any (c_mode) then
      perform 1 from agenda a where a.instance_id = any (c_id) and a.claimed_by = p_node order by a.instance_id for update;
    end if;

    -- Each checkpoint must own the claim and continue the chain; those that decided on what they had heard must have heard all.
    -- Probes in a lateral sub-select: joined freely, the planner walks the whole agenda when its statistics say that it is empty.
    select coalesce(array_agg(c.ord::integer) filter (where c.mode < 2), '{}'),
           coalesce(array_agg(c.ord::integer) filter (where c.mode = 2), '{}'), coalesce(array_agg(c.id) filter (where c.mode = 2), '{}'),
           coalesce(sum(c.stim) filter (where c.mode = 2), 0),
           coalesce(array_agg(c.ord::integer) filter (where c.mode = 3), '{}'), coalesce(array_agg(c.id) filter (where c.mode = 3), '{}'),
           coalesce(sum(c.stim) filter (where c.mode = 3), 0)
      into v_fit, v_leaving, v_leaving_ids, v_leaving_stims, v_pausing, v_pausing_ids, v_pausing_stims
      from unnest(c_id, c_claim, c_prev, c_stim, c_mode) with ordinality as c(id, claim, prev, stim, mode, ord)
     cross join lateral (select 1 from agenda a where a.instance_id = c.id and a.claimed_by = p_node and a.claim_no = c.claim
                            and (c.mode = 0 or a.stim = c.stim) offset 0) owned
     where (select j.seq from journal j where j.instance_id = c.id and j.seq = c.prev) is not null;

    -- A stimulus may have come since that read: then the sums differ (counters only rise), and what was done to its row is undone.
    if cardinality(v_leaving) > 0 then
      with gone as (delete from agenda a where a.instance_id = any (v_leaving_ids) and a.claimed_by = p_node returning a.instance_id, a.stim)
      select coalesce(array_agg(gone.instance_id), '{}'), coalesce(array_agg(gone.stim), '{}'), coalesce(sum(gone.stim), 0)
        into v_ids, v_stims, v_sum from gone;
      if v_sum <> v_leaving_stims or cardinality(v_ids) <> cardinality(v_leaving) then
        insert into agenda (instance_id, tenant, queue, due_at, claimed_by, claim_no, crashes, stim)
        select i.id, i.tenant, i.queue, v_at, p_node, c.claim, 1, g.stim
          from unnest(v_ids, v_stims) as g(id, stim)
          join unnest(c_id, c_claim, c_stim) as c(id, claim, stim) on c.id = g.id and c.stim <> g.stim
          join instance i on i.id = g.id;
        select coalesce(array_agg(c.ord::integer), '{}') into v_leaving
          from unnest(c_id, c_stim) with ordinality as c(id, stim, ord) join unnest(v_ids, v_stims) as g(id, stim) on c.id = g.id and c.stim = g.stim;
      end if;
      v_fit := v_fit || v_leaving;
    end if;
    if cardinality(v_pausing) > 0 then
      with paused as (
        update agenda a
           set claimed_by = null, crashes = 0,
               due_at = least(to_timestamp(c_due_at[width_bucket(a.instance_id, c_id)] / 1000.0),
                              v_at + c_due_in[width_bucket(a.instance_id, c_id)] * interval '1 millisecond')
         where a.instance_id = any (v_pausing_ids) and a.claimed_by = p_node
        returning a.instance_id, a.stim)
      select coalesce(array_agg(paused.instance_id), '{}'), coalesce(array_agg(paused.stim), '{}'), coalesce(sum(paused.stim), 0)
        into v_ids, v_stims, v_sum from paused;
      if v_sum <> v_pausing_stims or cardinality(v_ids) <> cardinality(v_pausing) then
        update agenda a set claimed_by = p_node, crashes = 1, due_at = v_at
          from unnest(v_ids, v_stims) as g(id, stim) join unnest(c_id, c_stim) as c(id, stim) on c.id = g.id and c.stim <> g.stim
         where a.instance_id = g.id;
        select coalesce(array_agg(c.ord::integer), '{}') into v_pausing
          from unnest(c_id, c_stim) with ordinality as c(id, stim, ord) join unnest(v_ids, v_stims) as g(id, stim) on c.id = g.id and c.stim = g.stim;
      end if;
      v_fit := v_fit || v_pausing;
    end if;

    if cardinality(v_fit) < cardinality(c_id) then
      -- A later statement, so that it sees what the ones above lost to.
      select coalesce(array_agg(c.ord::integer) filter (where a.found is not null), '{}'),
             coalesce(array_agg(c.ord::integer) filter (where a.found is null), '{}')
        into v_stimulated, v_lost
        from unnest(c_id, c_claim, c_stim, c_mode) with ordinality as c(id, claim, stim, mode, ord)
        left join lateral (select 1 as found from agenda a where a.instance_id = c.id and a.claimed_by = p_node and a.claim_no = c.claim
                              and c.mode > 0 and a.stim <> c.stim offset 0) a on true
       where not (c.ord = any (v_fit));
      v_refused := v_stimulated || v_lost;
      if p_strict then
        raise exception 'refused' using errcode = 'LS002', detail = case when cardinality(v_lost) > 0 then 'lost' else 'stimulated' end;
      end if;
      update flush f set lost = v_lost, stimulated = v_stimulated where f.node_id = p_node and f.n = p_n;
    end if;

    insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
    select c_id[f.item], f.seq, c_claim[f.item], v_pos + f.ord, v_at, p_node, c_tenant[f.item], f.kind, f.data
      from rows from (unnest(f_item), unnest(f_seq), unnest(f_kind), json_array_elements(f_data)) with ordinality as f(item, seq, kind, data, ord)
     where cardinality(v_refused) = 0 or not (f.item = any (v_refused));

    if cardinality(i_item) > 0 then
      update instance i
         set status = i_status[width_bucket(width_bucket(i.id, c_id), i_item)], last_seq = i_seq[width_bucket(width_bucket(i.id, c_id), i_item)],
             claim_no = c_claim[width_bucket(i.id, c_id)],
             finished_at = case when i_ended[width_bucket(width_bucket(i.id, c_id), i_item)] then v_at end
       where i.id = any (array(select c_id[u.item] from unnest(i_item) as u(item) where not (u.item = any (v_refused))));
    end if;
    if cardinality(n_item) > 0 then
      update instance i set snapshot = u.data, snapshot_seq = u.seq, snapshot_at = v_at
        from rows from (unnest(n_item), unnest(n_seq), json_array_elements(n_data)) as u(item, seq, data)
       where i.id = c_id[u.item] and not (u.item = any (v_refused));
    end if;
    if cardinality(m_item) > 0 then
      delete from inbox m
       where m.instance_id = any (array(select c_id[u.item] from unnest(m_item) as u(item) where not (u.item = any (v_refused))))
         and m.id = any (m_message);
    end if;
    if cardinality(x_item) > 0 then
      delete from bookmark b
       where b.id = any (array(select u.id from unnest(x_item, x_bookmark) as u(item, id) where not (u.item = any (v_refused))));
    end if;
    if cardinality(t_item) > 0 then
      insert into incident (id, tenant, instance_id, step, fingerprint, code, message, opened_at)
      select u.id, c_tenant[u.item], c_id[u.item], u.step, u.fingerprint, u.code, u.message, v_at
        from unnest(t_item, t_id, t_step, t_fingerprint, t_code, t_message) as u(item, id, step, fingerprint, code, message)
       where not (u.item = any (v_refused));
    end if;
    if cardinality(v_item) > 0 then
      update agenda a set crashes = 1
       where a.instance_id = any (array(select c_id[u.item] from unnest(v_item) as u(item) where not (u.item = any (v_refused)))) and a.claimed_by = p_node;
    end if;
    if cardinality(e_item) > 0 then
      insert into event (id, tenant, name, correlation_id, payload, published_at, expires_at)
      select u.id, u.tenant, u.name, u.correlation, u.payload, v_at, v_at + u.ttl * interval '1 millisecond'
        from rows from (unnest(e_item), unnest(e_id), unnest(e_tenant), unnest(e_name), unnest(e_correlation), unnest(e_ttl), json_array_elements(e_payload))
             as u(item, id, tenant, name, correlation, ttl, payload)
       where not (u.item = any (v_refused));
    end if;
    if cardinality(r_item) > 0 then
      insert into inbox (instance_id, tenant, kind, step, payload)
      select u.parent, p.tenant, 'child', u.step, u.payload
        from rows from (unnest(r_item), unnest(r_parent), unnest(r_step), json_array_elements(r_payload)) as u(item, parent, step, payload)
        join instance p on p.id = u.parent and p.finished_at is null
       where not (u.item = any (v_refused));
      perform lockstep_stimulate(array(select u.parent from unnest(r_item, r_parent) as u(item, parent) where not (u.item = any (v_refused))));
      v_woken := v_woken + cardinality(r_item);
    end if;
    if cardinality(b_item) > 0 then
      insert into bookmark (id, tenant, instance_id, step, kind, name, correlation_id, hash, token_hash, expires_at, created_at)
      select u.id, c_tenant[u.item], c_id[u.item], u.step, u.kind, u.name, u.correlation, u.hash, u.token, v_at + u.expires_in * interval '1 millisecond', v_at
        from unnest(b_item, b_id, b_step, b_kind, b_name, b_correlation, b_hash, b_token, b_expires_in)
             as u(item, id, step, kind, name, correlation, hash, token, expires_in)
       where not (u.item = any (v_refused))
       order by u.hash
      on conflict (instance_id, hash, tenant) do nothing;
      -- Events that came before their bookmark: each goes to the first that asks.
      for v_count in select lockstep_take_kept(u.id) from unnest(b_item, b_id, b_kind) as u(item, id, kind)
                      where u.kind = 'event' and not (u.item = any (v_refused)) loop
        v_woken := v_woken + v_count;
      end loop;
    end if;
  end if;

  return query select extract(epoch from v_at)::float8 * 1000, v_started, v_versions, v_lost, v_stimulated, v_woken;
end $$;

-- Tells instances that something waits in their inbox: raises the counter that owners compare, and makes them due now.
-- Sorted, so that two of these cannot deadlock. Instances that have ended are left alone.
create function lockstep_stimulate(p_instances uuid[]) returns void
language plpgsql as $$
begin
  insert into agenda as a (instance_id, tenant, queue, due_at, claim_no, stim)
  select i.id, i.tenant, i.queue, clock_timestamp(), i.claim_no, 1
    from instance i where i.id = any (p_instances) and i.finished_at is null order by i.id
  on conflict (instance_id, tenant) do update set stim = a.stim + 1, due_at = least(a.due_at, excluded.due_at);
  -- The insert may have waited for an owner that suspended or ended: then what it had read is old. The row is ours now, so this is final.
  update agenda a set claim_no = i.claim_no from instance i where i.id = any (p_instances) and a.instance_id = i.id and a.claim_no < i.claim_no;
  delete from agenda a using instance i where i.id = any (p_instances) and a.instance_id = i.id and i.finished_at is not null;
end $$;

-- Gives a bookmark that was just opened the oldest event that was kept for it. Answers 1 when there was one.
create function lockstep_take_kept(p_bookmark uuid) returns integer
language plpgsql as $$
declare
  b bookmark;
  e event;
begin
  select * into b from bookmark where id = p_bookmark;
  if not found then return 0; end if;
  loop
    select * into e from event
     where tenant = b.tenant and name = b.name and matched = 0 and expires_at > clock_timestamp()
       and (correlation_id is null or correlation_id = b.correlation_id)
     order by published_at limit 1;
    if not found then return 0; end if;
    update event set matched = 1 where id = e.id and tenant = e.tenant and matched = 0;
    exit when found;   -- else another bookmark was faster: look for the next one
  end loop;
  delete from bookmark where id = p_bookmark;
  insert into inbox (instance_id, tenant, kind, bookmark_id, name, step, payload)
  values (b.instance_id, b.tenant, 'event', b.id, b.name, b.step, e.payload);
  perform lockstep_stimulate(array[b.instance_id]);
  return 1;
end $$;
