-- 0028_live_reads.sql  Readers of the live stream find new facts by the index of positions, also where the server has not summed up its newest pages yet.
-- compatible-from: 0017
-- Lock: none. Nodes of before read as they did.
-- Until now a table without statistics was read as a whole for each page of events, and so was whatever came since the last visit of autovacuum.

-- Facts behind a place, at most so many. Never by reading the whole table: on a young one the planner knows no better.
create function lockstep_facts(p_after bigint, p_until bigint, p_limit integer)
returns table (kind text, pos bigint, at timestamptz, tenant text, instance_id uuid, seq integer, node_id uuid, detail text)
language plpgsql stable set search_path from current set enable_seqscan = off set max_parallel_workers_per_gather = 0 as $$
begin
  return query
    select j.kind, j.pos, j.at, j.tenant, j.instance_id, j.seq, j.node_id,
           case j.kind when 'started' then null when 'ended' then j.data ->> 'status' else j.data ->> 'step' end
      from journal j where j.pos > p_after and j.pos < p_until order by j.pos limit p_limit;
end $$;

-- Sums up pages of the journal that the index of positions knows nothing of. Left to others when the table is being tended already. The last pages
-- are left out: a summed up range is written anew with each fact that comes into it. `p_all`: of the whole table; else from the end back to the
-- first range that is known. As the owner, who alone may: nobody can do more with it than here.
create function lockstep_sum_up_journal(p_all boolean) returns integer
language plpgsql security definer set search_path from current as $$
declare
  c_range constant bigint := 32;
  v_block bigint;
  v_count integer := 0;
begin
  begin
    lock table journal in share update exclusive mode nowait;
  exception when lock_not_available then
    return 0;
  end;
  if p_all then
    return brin_summarize_new_values('journal_pos'::regclass);
  end if;
  v_block := (pg_relation_size('journal'::regclass) / current_setting('block_size')::bigint / c_range - 1) * c_range;
  while v_block >= 0 and brin_summarize_range('journal_pos'::regclass, v_block) = 1 loop
    v_count := v_count + 1;
    v_block := v_block - c_range;
  end loop;
  return v_count;
end $$;
