-- 0032_forked_from.sql  Finds the copies of an instance. Copies that were made before are not among them: their journals tell what they are copies of.
-- compatible-from: 0017
-- Lock: instance against writing, for as long as it takes to read it once; the index is empty then. Nodes of before make copies that are found.

alter table instance add column forked_from uuid;
create index instance_forked_from on instance (forked_from, id) where forked_from is not null;

create or replace function lockstep_fork(
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
  insert into instance (id, tenant, definition_id, version, correlation_id, dedupe_key, queue, created_at, status, last_seq, forked_from)
  values (p_id, p_tenant, i.definition_id, p_version, p_correlation, p_dedupe, p_queue, v_now, 'queued', p_at + 1, p_source)
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
