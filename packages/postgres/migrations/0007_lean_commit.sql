-- 0007_lean_commit.sql  The commit of the common case at half the cost (DESIGN §2, ADR 0004). Lock: agenda and node, for as long as the index of a waiting agenda takes (a second for a million rows).

-- A foreign key looks the node up once more for every claim that is written, a seventh of what a batch cost. Whoever writes a claim
-- holds its node's row already (the fence); what remains of the key is that claims are freed when the row goes, whoever deletes it.
-- The deletion has waited for every batch of the node, and the update takes its snapshot after it: it sees all of their claims.
alter table agenda drop constraint agenda_claimed_by_fkey;
create function lockstep_free_claims() returns trigger
language plpgsql set search_path from current as $$
begin
  update agenda set claimed_by = null where claimed_by = old.id;
  return null;
end $$;
create trigger node_frees_claims after delete on node for each row execute function lockstep_free_claims();

-- What goes on comes before what begins: a flood of starts must not delay timers and resumes (P10). New rows have claim number 0.
drop index agenda_due;
create index agenda_due on agenda (queue, (claim_no = 0), due_at) where claimed_by is null;

-- Locks up to `p_limit` free rows that come due between two moments, the oldest first; new ones, or those that have run before.
create function lockstep_lock_due(p_queues text[], p_new boolean, p_from timestamptz, p_to timestamptz, p_limit integer) returns uuid[]
language plpgsql as $$
begin
  return array(
    select t.instance_id
      from unnest(p_queues) as q(queue)
     cross join lateral (
       select a.instance_id, a.due_at from agenda a
        where a.queue = q.queue and (a.claim_no = 0) = p_new and a.claimed_by is null and a.due_at >= p_from and a.due_at <= p_to
        order by a.due_at limit p_limit for update skip locked) t
     order by t.due_at limit p_limit);
end $$;

-- As in 0004, with the fence taken by itself. Due and running before comes first, then due and new, then what is due soon.
create or replace function lockstep_claim(p_node uuid, p_queues text[], p_limit integer, p_ahead float8, p_floor float8)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_from timestamptz := coalesce(v_now - p_floor * interval '1 millisecond', '-infinity');
  v_to timestamptz := v_now + p_ahead * interval '1 millisecond';
  v_ids uuid[] := lockstep_lock_due(p_queues, false, v_from, v_now, p_limit);
begin
  if cardinality(v_ids) < p_limit then
    v_ids := v_ids || lockstep_lock_due(p_queues, true, v_from, v_now, p_limit - cardinality(v_ids));
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    v_ids := v_ids || lockstep_lock_due(p_queues, false, v_now, v_to, p_limit - cardinality(v_ids));
  end if;
  if cardinality(v_ids) < p_limit and p_ahead > 0 then
    v_ids := v_ids || lockstep_lock_due(p_queues, true, v_now, v_to, p_limit - cardinality(v_ids));
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
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end;
end $$;

-- The plain batch.
-- One tenant; starts are born claimed, without dedupe key or parent; checkpoints go on holding their claim, or end. Everything must fit: whatever
-- does not raises LS003, nothing was written, and the same batch goes through lockstep_commit, which says what is wrong with which item.
-- Counters (claim_no, stim) only rise and the caller has seen what it sends, so equal sums mean equal counters.
create function lockstep_commit_plain(
  p_node uuid, p_n bigint, p_tenant text,
  g_definition text[], g_version integer[], g_queue text[],
  s_id uuid[], s_group integer[], s_correlation text[],
  c_id uuid[], c_prev integer[], c_claims bigint,
  l_item integer[], l_status text[], l_seq integer[], l_claim integer[], l_stims bigint,
  k_kind text[], j_item integer[], j_seq integer[], j_claim integer[], j_kind integer[], j_data json
) returns table (at float8, versions integer[])
language plpgsql as $$
declare
  v_at timestamptz;
  v_pos bigint;
  v_ids uuid[] := s_id || c_id;
  v_versions integer[] := '{}';
  v_leaving uuid[];
  v_count bigint;
  v_sum bigint;
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
    v_versions := array(
      select coalesce(g.version, d.published)
        from unnest(g_definition, g_version) with ordinality as g(definition, version, ord)
       cross join lateral (select x.published from definition x where x.id = g.definition and x.tenant = p_tenant offset 0) d
       order by g.ord);
    if cardinality(v_versions) < cardinality(g_definition) or array_position(v_versions, null) is not null then
      raise exception 'not plain: definition' using errcode = 'LS003';
    end if;
    insert into instance (id, tenant, definition_id, version, correlation_id, queue, created_at, status, claim_no)
    select s.id, p_tenant, g_definition[s.grp], v_versions[s.grp], s.correlation, g_queue[s.grp], v_at, 'running', 1
      from unnest(s_id, s_group, s_correlation) as s(id, grp, correlation);
    insert into agenda (instance_id, tenant, queue, due_at, claimed_by, claim_no, crashes)
    select s.id, p_tenant, g_queue[s.grp], v_at, p_node, 1, 1 from unnest(s_id, s_group) as s(id, grp);
  end if;

  if cardinality(c_id) > 0 then
    -- Each must own the claim and continue the chain.
    select count(*), sum(a.claim_no) into v_count, v_sum from agenda a where a.instance_id = any (c_id) and a.claimed_by = p_node;
    if v_count <> cardinality(c_id) or v_sum <> c_claims then
      raise exception 'not plain: claim' using errcode = 'LS003';
    end if;
    select count(*) into v_count
      from unnest(c_id, c_prev) as c(id, prev)
     cross join lateral (select 1 from journal j where j.instance_id = c.id and j.seq = c.prev offset 0) chain;
    if v_count <> cardinality(c_id) then
      raise exception 'not plain: chain' using errcode = 'LS003';
    end if;
  end if;

  insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  select v_ids[j.item], j.seq, j.claim, v_pos + j.ord, v_at, p_node, p_tenant, k_kind[j.kind], j.data
    from rows from (unnest(j_item), unnest(j_seq), unnest(j_claim), unnest(j_kind), json_array_elements(j_data)) with ordinality
         as j(item, seq, claim, kind, data, ord);

  if cardinality(l_item) > 0 then
    -- In the order of ids: locks are taken so, and width_bucket finds a place in a sorted array by halving.
    v_leaving := array(select c_id[l.item] from unnest(l_item) as l(item));
    with gone as (delete from agenda a where a.instance_id = any (v_leaving) and a.claimed_by = p_node returning a.stim)
    select count(*), sum(gone.stim) into v_count, v_sum from gone;
    if v_count <> cardinality(v_leaving) or v_sum <> l_stims then
      raise exception 'not plain: stimulus' using errcode = 'LS003';
    end if;
    update instance i
       set (status, last_seq, claim_no, finished_at) =
           (select l_status[k.place], l_seq[k.place], l_claim[k.place], v_at from (select width_bucket(i.id, v_leaving) as place offset 0) k)
     where i.id = any (v_leaving);
  end if;

  return query select extract(epoch from v_at)::float8 * 1000, v_versions;
end $$;
