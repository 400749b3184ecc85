-- 0047_live_locks.sql  Readers of the live stream are told which locks instances wait for and enter: it stands in their facts already.
-- compatible-from: 0017
-- Lock: none; a function beside the one of 0028, which nodes of before go on calling. Nothing is written that was not written before.

-- As lockstep_facts, with the lock of facts that are about one. A section that is entered again by another node does not name its lock: the fact that
-- opened it does, and is looked for backwards in the journal of that instance. Such facts are rare.
create function lockstep_facts_and_locks(p_after bigint, p_until bigint, p_limit integer)
returns table (kind text, pos bigint, at timestamptz, tenant text, instance_id uuid, seq integer, node_id uuid, detail text, lock text, fence text)
language plpgsql stable set search_path from current set enable_seqscan = off set max_parallel_workers_per_gather = 0 as $$
begin
  return query
    select j.kind, j.pos, j.at, j.tenant, j.instance_id, j.seq, j.node_id,
           case j.kind when 'started' then null when 'ended' then j.data ->> 'status' else j.data ->> 'step' end,
           case j.kind
             when 'opened' then j.data ->> 'lock'
             when 'waiting' then case when j.data #>> '{wait,kind}' = 'lock' then j.data #>> '{wait,name}' end
             when 'locked' then (select o.data ->> 'lock' from journal o
                                  where o.instance_id = j.instance_id and o.seq < j.seq and o.kind = 'opened' and o.data ->> 'step' = j.data ->> 'step'
                                  order by o.seq desc limit 1)
           end,
           case when j.kind in ('opened', 'locked') then j.data ->> 'fence' end
      from journal j where j.pos > p_after and j.pos < p_until order by j.pos limit p_limit;
end $$;
