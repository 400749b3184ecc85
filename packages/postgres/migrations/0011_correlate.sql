-- 0011_correlate.sql  Lets an instance change its correlation id (activity `correlate`) in the commit that says so.
-- A function around the one of migration 0003, for batches that do it: all others pay nothing, and nodes that know nothing of it go on as before.
-- k_item names the checkpoint by its ordinal, rising, as there. Lock: none that its own checkpoint does not have, since an instance has one writer.
create function lockstep_commit_correlated(
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
  p_strict boolean,
  k_item integer[], k_correlation text[]
) returns table (at float8, started uuid[], versions integer[], lost integer[], stimulated integer[], woken integer)
language plpgsql as $$
declare
  v record;
begin
  select * into v from lockstep_commit(
    p_node, p_n,
    s_id, s_tenant, s_definition, s_version, s_correlation, s_dedupe,
    s_parent, s_parent_step, s_queue, s_claimed, s_due_in, s_data,
    c_id, c_tenant, c_claim, c_prev, c_stim, c_mode, c_due_at, c_due_in,
    f_item, f_seq, f_kind, f_data,
    i_item, i_status, i_seq, i_ended,
    n_item, n_seq, n_data,
    b_item, b_id, b_step, b_kind, b_name, b_correlation, b_hash, b_token, b_expires_in,
    x_item, x_bookmark,
    m_item, m_message,
    e_item, e_id, e_tenant, e_name, e_correlation, e_ttl, e_payload,
    t_item, t_id, t_step, t_fingerprint, t_code, t_message,
    r_item, r_parent, r_step, r_payload,
    v_item,
    p_strict) c;
  update instance i set correlation_id = k_correlation[width_bucket(width_bucket(i.id, c_id), k_item)]
   where i.id = any (array(select c_id[u.item] from unnest(k_item) as u(item) where not (u.item = any (v.lost || v.stimulated))));
  return query select v.at, v.started, v.versions, v.lost, v.stimulated, v.woken;
end $$;
