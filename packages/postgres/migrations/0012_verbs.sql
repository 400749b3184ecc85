-- 0012_verbs.sql  What operators do with instances (DESIGN §3): messages with a decision, retries of what has ended, copies, other versions, bulk.
-- Lock: incident, briefly, for its columns and two indexes. The commit path is untouched: nothing here is on it.
-- Order of locks: bulk_item, instance (only of what has ended, and of children), node, bookmark, inbox, agenda; a deadlock with a batch is asked again.

alter table incident add column resolution text, add column note text;
-- Both are as small as the number of open incidents.
create index incident_open on incident (tenant, id) where resolved_at is null;
create index incident_open_alike on incident (tenant, fingerprint) where resolved_at is null;

create table bulk_operation (
  tenant      text not null,
  id          uuid not null,
  verb        text not null,
  options     json not null,
  filter      json not null,
  most        integer not null,
  note        text,
  state       text not null,
  walked_to   uuid not null default '00000000-0000-0000-0000-000000000000',
  total       integer not null default 0,
  cut         boolean not null default false,
  created_at  timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  primary key (tenant, id)
);
create index bulk_operation_open on bulk_operation (created_at) where finished_at is null;

create table bulk_item (
  tenant       text not null,
  operation_id uuid not null,
  instance_id  uuid not null,
  outcome      text,
  detail       text,
  primary key (tenant, operation_id, instance_id)
);
create index bulk_item_open on bulk_item (tenant, operation_id, instance_id) where outcome is null;

-- An item of a bulk operation has one outcome. True: it has none yet, and is ours to decide until this transaction ends.
create function lockstep_bulk_take(p_tenant text, p_operation uuid, p_instance uuid) returns boolean
language plpgsql as $$
begin
  if p_operation is null then return true; end if;
  perform 1 from bulk_item b where b.tenant = p_tenant and b.operation_id = p_operation and b.instance_id = p_instance and b.outcome is null for update;
  return found;
end $$;

-- Whether an instance is paused, or will be once it has read its messages: the last word counts.
create function lockstep_is_pausing(p_instance uuid, p_status text) returns boolean
language plpgsql as $$
declare
  v_last text;
begin
  select m.kind into v_last from inbox m where m.instance_id = p_instance and m.kind in ('pause', 'continue') order by m.id desc limit 1;
  if found then return v_last = 'pause'; end if;
  if p_status = 'paused' then return true; end if;
  select j.kind into v_last from (select x.seq, x.kind from journal x where x.instance_id = p_instance order by x.seq desc limit 200) j
   where j.kind in ('paused', 'continued', 'ended') order by j.seq desc limit 1;
  return found and v_last = 'paused';
end $$;

-- Puts a message of an operator into the inbox of an instance that can take it.
create function lockstep_control(
  p_tenant text, p_instance uuid, p_kind text, p_payload json, p_dedupe text, p_queue text, p_operation uuid
) returns table (outcome text, detail text)
language plpgsql as $$
declare
  i instance;
  v_id bigint;
  v_outcome text := 'accepted';
  v_detail text;
begin
  if not lockstep_bulk_take(p_tenant, p_operation, p_instance) then
    return query select 'done-before', null::text;
    return;
  end if;
  select * into i from instance x where x.id = p_instance and x.tenant = p_tenant;
  if not found then
    v_outcome := 'not-found';
  elsif i.finished_at is not null then
    v_outcome := 'wrong-state'; v_detail := i.status;
  elsif p_kind = 'pause' and lockstep_is_pausing(p_instance, i.status) then
    v_outcome := 'wrong-state'; v_detail := 'paused';
  elsif p_kind = 'pause' and i.status = 'quarantined' then
    v_outcome := 'wrong-state'; v_detail := i.status;
  elsif p_kind = 'continue' and not lockstep_is_pausing(p_instance, i.status) then
    v_outcome := 'wrong-state'; v_detail := i.status;
  else
    insert into inbox (instance_id, tenant, kind, payload, dedupe_key) values (p_instance, p_tenant, p_kind, p_payload, p_dedupe)
    on conflict (tenant, instance_id, dedupe_key) where dedupe_key is not null do nothing returning id into v_id;
    if v_id is null then
      v_outcome := 'already-requested';
    else
      perform lockstep_stimulate(array[p_instance]);
      if exists (select 1 from agenda a where a.instance_id = p_instance) then
        -- The row is locked by the stimulus: whoever has it keeps it, and hands it over by itself.
        if p_queue is not null then
          update agenda a set queue = p_queue where a.instance_id = p_instance and a.claimed_by is null;
        end if;
      else
        delete from inbox m where m.instance_id = p_instance and m.id = v_id;   -- it ended while this waited
        v_outcome := 'wrong-state';
        select x.status into v_detail from instance x where x.id = p_instance;
      end if;
    end if;
  end if;
  if p_operation is not null then
    update bulk_item b set outcome = v_outcome, detail = v_detail where b.tenant = p_tenant and b.operation_id = p_operation and b.instance_id = p_instance;
  end if;
  return query select v_outcome, v_detail;
end $$;

-- Sends what has faulted or was put aside back to work. What has ended is open again from here on: nobody holds it, so nobody else writes its row.
-- A parent that waited was told in the transaction that ended the instance. Where nobody can have read that yet, it is taken back.
create function lockstep_retry(
  p_tenant text, p_instance uuid, p_kinds text[], p_payloads json, p_queue text, p_force boolean, p_note text, p_operation uuid
) returns table (outcome text, detail text)
language plpgsql as $$
declare
  i instance;
  p instance;
  v_outcome text := 'accepted';
  v_detail text;
  v_told bigint;
begin
  if not lockstep_bulk_take(p_tenant, p_operation, p_instance) then
    return query select 'done-before', null::text;
    return;
  end if;
  select * into i from instance x where x.id = p_instance and x.tenant = p_tenant for update;
  if not found then
    v_outcome := 'not-found';
  elsif i.status <> 'faulted' and i.status <> 'quarantined' then
    v_outcome := 'wrong-state'; v_detail := i.status;
  elsif exists (select 1 from inbox m where m.instance_id = p_instance and m.dedupe_key = 'retry') then
    v_outcome := 'already-requested';
  elsif i.finished_at is not null and i.parent_step is not null then
    select * into p from instance x where x.id = i.parent_id and x.tenant = p_tenant;
    -- A parent that had ended before was told nothing.
    if found and (p.finished_at is null or p.finished_at >= i.finished_at) then
      perform 1 from agenda a where a.instance_id = i.parent_id and a.claimed_by is null for update;
      if found then
        delete from inbox m where m.instance_id = i.parent_id and m.kind = 'child' and m.payload ->> 'child' = p_instance::text returning m.id into v_told;
      elsif not exists (select 1 from agenda a where a.instance_id = i.parent_id) then
        -- It stands still: a word that it keeps for later can be taken back too.
        delete from inbox m where m.instance_id = i.parent_id and m.kind = 'child' and m.payload ->> 'child' = p_instance::text returning m.id into v_told;
      end if;
      if v_told is null and not p_force then
        v_outcome := 'parent-told'; v_detail := i.parent_id::text;
      end if;
    end if;
  end if;

  if v_outcome = 'accepted' then
    if i.finished_at is not null then
      update instance x set finished_at = null, status = 'suspended', queue = coalesce(p_queue, x.queue) where x.id = p_instance and x.tenant = p_tenant;
      -- A child that ends now waits for this, and then sees a parent that can be told; one that has ended is asked when the instance goes on.
      perform 1 from instance c where c.parent_id = p_instance and c.parent_step is not null and c.finished_at is null order by c.id for update;
    end if;
    insert into inbox (instance_id, tenant, kind, payload, dedupe_key)
    select p_instance, p_tenant, m.kind, m.payload, case when m.ord = cardinality(p_kinds) then 'retry' end
      from rows from (unnest(p_kinds), json_array_elements(p_payloads)) with ordinality as m(kind, payload, ord) order by m.ord;
    update incident n set resolved_at = clock_timestamp(), resolution = 'retried', note = coalesce(p_note, n.note)
     where n.instance_id = p_instance and n.tenant = p_tenant and n.resolved_at is null;
    perform lockstep_stimulate(array[p_instance]);
    if p_queue is not null then
      update agenda a set queue = p_queue where a.instance_id = p_instance and a.claimed_by is null;
    end if;
  end if;
  if p_operation is not null then
    update bulk_item b set outcome = v_outcome, detail = v_detail where b.tenant = p_tenant and b.operation_id = p_operation and b.instance_id = p_instance;
  end if;
  return query select v_outcome, v_detail;
end $$;

-- A new instance whose first facts are those of another, with their times. Places of facts: see 0005.
create function lockstep_fork(
  p_node uuid, p_tenant text, p_source uuid, p_at integer, p_id uuid, p_version integer, p_correlation text, p_dedupe text, p_queue text, p_started json, p_forked json,
  b_id uuid[], b_step text[], b_kind text[], b_name text[], b_correlation text[], b_hash text[]
) returns table (outcome text, existing uuid)
language plpgsql as $$
declare
  i instance;
  v_now timestamptz := clock_timestamp();
  v_pos bigint := (pg_current_xact_id()::text::bigint << 20) + 524288;
  v_bookmark uuid;
begin
  -- Held until the copy is complete: retention leaves it alone.
  select * into i from instance x where x.id = p_source and x.tenant = p_tenant for key share;
  if not found or not exists (select 1 from journal j where j.instance_id = p_source and j.seq = p_at) then
    return query select 'not-found', null::uuid;
    return;
  end if;
  insert into instance (id, tenant, definition_id, version, correlation_id, dedupe_key, queue, created_at, status, last_seq)
  values (p_id, p_tenant, i.definition_id, p_version, p_correlation, p_dedupe, p_queue, v_now, 'queued', p_at + 1)
  on conflict (tenant, definition_id, dedupe_key) where dedupe_key is not null do nothing;
  if not found then
    return query select 'duplicate', x.id from instance x where x.tenant = p_tenant and x.definition_id = i.definition_id and x.dedupe_key = p_dedupe;
    return;
  end if;
  insert into agenda (instance_id, tenant, queue, due_at) values (p_id, p_tenant, p_queue, v_now);
  insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  select p_id, j.seq, 0, v_pos + j.seq, case when j.seq = 1 then v_now else j.at end, p_node, p_tenant, j.kind, case when j.seq = 1 then p_started else j.data end
    from journal j where j.instance_id = p_source and j.seq <= p_at;
  insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  values (p_id, p_at + 1, 0, v_pos + p_at + 1, v_now, p_node, p_tenant, 'forked', p_forked);
  insert into bookmark (id, tenant, instance_id, step, kind, name, correlation_id, hash, created_at)
  select b.id, p_tenant, p_id, b.step, b.kind, b.name, b.correlation, b.hash, v_now
    from unnest(b_id, b_step, b_kind, b_name, b_correlation, b_hash) as b(id, step, kind, name, correlation, hash) order by b.hash
  on conflict (instance_id, hash, tenant) do nothing;
  foreach v_bookmark in array b_id loop
    perform lockstep_take_kept(v_bookmark);
  end loop;
  return query select 'forked', null::uuid;
end $$;

-- The owner writes one fact, the instance is another version from here on, and its claim is given back: whoever takes it next reads it anew.
create function lockstep_revise(
  p_node uuid, p_tenant text, p_instance uuid, p_claim integer, p_seq integer, p_kind text, p_data json, p_version integer, p_queue text,
  p_from text[], p_to text[], p_messages bigint[]
) returns boolean
language plpgsql as $$
declare
  v_pos bigint;
begin
  perform 1 from node n where n.id = p_node and not n.doomed for key share;
  if not found then
    raise exception 'node % was buried', p_node using errcode = 'LS001';
  end if;
  v_pos := pg_current_xact_id()::text::bigint << 20;
  perform 1 from bookmark b where b.instance_id = p_instance order by b.hash for update;
  perform 1 from agenda a where a.instance_id = p_instance and a.claimed_by = p_node and a.claim_no = p_claim for update;
  if not found
     or not exists (select 1 from journal j where j.instance_id = p_instance and j.seq = p_seq - 1)
     or exists (select 1 from journal j where j.instance_id = p_instance and j.seq = p_seq) then
    return false;
  end if;
  insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  values (p_instance, p_seq, p_claim, v_pos + 1, clock_timestamp(), p_node, p_tenant, p_kind, p_data);
  update instance i set version = coalesce(p_version, i.version), queue = coalesce(p_queue, i.queue), last_seq = p_seq, claim_no = p_claim
   where i.id = p_instance and i.tenant = p_tenant;
  update bookmark b set step = p_to[array_position(p_from, b.step)] where b.instance_id = p_instance and b.step = any (p_from);
  update inbox m set step = p_to[array_position(p_from, m.step)] where m.instance_id = p_instance and m.step = any (p_from);
  delete from inbox m where m.instance_id = p_instance and m.id = any (p_messages);
  update agenda a set claimed_by = null, crashes = 0, due_at = clock_timestamp(), queue = coalesce(p_queue, a.queue) where a.instance_id = p_instance;
  return true;
end $$;

-- Marks an incident as resolved, and tells its instance what became of the step, in one transaction.
create function lockstep_resolve(p_tenant text, p_incident uuid, p_resolution text, p_note text, p_kind text, p_payload json)
returns table (outcome text, instance uuid, detail text)
language plpgsql as $$
declare
  n incident;
  v_id bigint;
  v_status text;
begin
  select * into n from incident x where x.id = p_incident and x.tenant = p_tenant for update;
  if not found then
    return query select 'not-found', null::uuid, null::text;
    return;
  end if;
  if n.resolved_at is not null then
    return query select 'already-resolved', n.instance_id, null::text;
    return;
  end if;
  if p_kind is not null then
    select i.status into v_status from instance i where i.id = n.instance_id and i.finished_at is null;
    if found then
      insert into inbox (instance_id, tenant, kind, step, payload) values (n.instance_id, p_tenant, p_kind, n.step, p_payload) returning id into v_id;
      perform lockstep_stimulate(array[n.instance_id]);
    end if;
    if not exists (select 1 from agenda a where a.instance_id = n.instance_id) then
      delete from inbox m where m.instance_id = n.instance_id and m.id = v_id;
      return query select 'wrong-state', n.instance_id, (select i.status from instance i where i.id = n.instance_id);
      return;
    end if;
  end if;
  update incident x set resolved_at = clock_timestamp(), resolution = p_resolution, note = p_note where x.id = p_incident and x.tenant = p_tenant;
  return query select 'resolved', n.instance_id, null::text;
end $$;

-- Lists the next instances that an operation is about; those that began after it are not among them.
create function lockstep_bulk_freeze(p_tenant text, p_id uuid, p_look integer) returns void
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  o bulk_operation;
  v_count integer;
  v_looked integer;
  v_last uuid;
begin
  select * into o from bulk_operation x where x.tenant = p_tenant and x.id = p_id and x.state = 'freezing' for update;
  if not found then return; end if;
  if o.filter -> 'instanceIds' is not null then
    -- Those that do not exist are listed as well: they get an outcome that says so.
    with listed as (
      insert into bulk_item (tenant, operation_id, instance_id)
      select p_tenant, p_id, k.id from (select distinct t.id::uuid as id from json_array_elements_text(o.filter -> 'instanceIds') as t(id)) k
        left join lateral (select x as line from instance x where x.id = k.id and x.tenant = p_tenant offset 0) i on true
       where i.line is null or lockstep_bulk_fits(i.line, o.filter)
       order by k.id limit o.most
      on conflict do nothing returning 1)
    select count(*) into v_count from listed;
    update bulk_operation x set total = v_count, state = 'applying' where x.tenant = p_tenant and x.id = p_id;
    return;
  end if;
  -- Two shapes: with a correlation id the index on it finds all of them at once.
  with page as materialized (
    (select i as line, i.id, i.created_at from instance i
      where o.filter ->> 'correlationId' is null and i.id > o.walked_to and i.tenant = p_tenant order by i.id limit p_look)
    union all
    (select i, i.id, i.created_at from instance i
      where o.filter ->> 'correlationId' is not null and i.tenant = p_tenant and i.correlation_id = o.filter ->> 'correlationId' and i.id > o.walked_to
      order by i.id limit p_look)),
  fit as materialized (
    select page.id from page where page.created_at <= o.created_at and lockstep_bulk_fits(page.line, o.filter) order by page.id limit o.most - o.total + 1),
  listed as (
    insert into bulk_item (tenant, operation_id, instance_id)
    select p_tenant, p_id, fit.id from fit order by fit.id limit o.most - o.total on conflict do nothing)
  select (select count(*) from fit), (select count(*) from page), (select page.id from page order by page.id desc limit 1) into v_count, v_looked, v_last;
  update bulk_operation x
     set total = least(o.most, o.total + v_count), cut = o.total + v_count > o.most, walked_to = coalesce(v_last, x.walked_to),
         state = case when v_looked < p_look or o.total + v_count > o.most then 'applying' else 'freezing' end
   where x.tenant = p_tenant and x.id = p_id;
end $$;

create function lockstep_bulk_fits(i instance, p_filter json) returns boolean
language sql stable as $$
  select (p_filter ->> 'definitionId' is null or i.definition_id = p_filter ->> 'definitionId')
     and (p_filter ->> 'version' is null or i.version = (p_filter ->> 'version')::integer)
     and (p_filter -> 'statuses' is null or i.status in (select s from json_array_elements_text(p_filter -> 'statuses') as t(s)))
     and (p_filter ->> 'correlationId' is null or i.correlation_id = p_filter ->> 'correlationId')
     and (p_filter ->> 'createdFrom' is null or i.created_at >= to_timestamp((p_filter ->> 'createdFrom')::float8 / 1000))
     and (p_filter ->> 'createdBefore' is null or i.created_at < to_timestamp((p_filter ->> 'createdBefore')::float8 / 1000))
$$;
