-- 0005_start_within.sql  Starts an instance inside a transaction of the caller's own (DESIGN §3: `start(…, { tx })`). A function only.
-- The search path is that of the migration: the caller's connection knows nothing of our schema.
create function lockstep_start_within(
  p_node uuid, p_id uuid, p_tenant text, p_definition text, p_version integer, p_correlation text, p_dedupe text, p_queue text, p_data json
) returns table (version integer, existing uuid)
language plpgsql set search_path from current as $$
declare
  v_version integer;
  v_at timestamptz := clock_timestamp();
  v_place integer := coalesce(nullif(current_setting('lockstep.place', true), ''), '0')::integer + 1;
begin
  select coalesce(p_version, d.published) into v_version from definition d where d.id = p_definition and d.tenant = p_tenant;
  if v_version is null then
    return query select null::integer, null::uuid;
    return;
  end if;
  insert into instance (id, tenant, definition_id, version, correlation_id, dedupe_key, queue, created_at, status)
  values (p_id, p_tenant, p_definition, v_version, p_correlation, p_dedupe, p_queue, v_at, 'queued')
  on conflict (tenant, definition_id, dedupe_key) where dedupe_key is not null do nothing;
  if not found then
    return query select null::integer, i.id from instance i where i.tenant = p_tenant and i.definition_id = p_definition and i.dedupe_key = p_dedupe;
    return;
  end if;
  -- Several starts of one transaction have places of their own, in the upper half: the lower is the commit function's.
  perform set_config('lockstep.place', v_place::text, true);
  insert into agenda (instance_id, tenant, queue, due_at) values (p_id, p_tenant, p_queue, v_at);
  insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
  values (p_id, 1, 0, (pg_current_xact_id()::text::bigint << 20) + 524288 + v_place, v_at, p_node, p_tenant, 'started', p_data);
  perform pg_notify('lockstep_wake', 'due');
  return query select v_version, null::uuid;
end $$;
