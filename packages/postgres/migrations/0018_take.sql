-- 0018_take.sql  Whoever resumes an instance or publishes an event takes what becomes due by it in the same transaction (DESIGN §2). New functions only.
-- compatible-from: 0017

-- Claims these instances where nobody has them. The rows are locked by this transaction already, since it made them due. A node that was buried
-- gets none: what was told is told all the same, and others find it. Shape as in lockstep_claim (0014).
create function lockstep_take(p_node uuid, p_queues text[], p_ids uuid[])
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_ids uuid[] := array(select a.instance_id from agenda a where a.instance_id = any (p_ids) and a.claimed_by is null and a.queue = any (p_queues)
                           and a.due_at <= (select clock_timestamp()) order by a.instance_id for update);
begin
  if cardinality(v_ids) = 0 then
    return;
  end if;
  -- Without waiting: a burial of this node may hold its row, and wait for an instance that was told something here.
  perform 1 from node n where n.id = p_node and not n.doomed for key share skip locked;
  if not found then
    return;
  end if;
  return query
    update agenda a set claimed_by = p_node, claim_no = a.claim_no + 1, crashes = a.crashes + 1
     where a.instance_id = any (v_ids)
    returning a.instance_id, a.tenant, a.claim_no, a.stim, a.crashes, extract(epoch from a.due_at - clock_timestamp())::float8 * 1000,
              case when a.stim > 0 then (
                select json_agg(json_build_object('id', m.id::text, 'kind', m.kind, 'bookmarkId', m.bookmark_id, 'step', m.step, 'payload', m.payload) order by m.id)
                  from inbox m where m.instance_id = a.instance_id having sum(octet_length(m.payload::text)) < 16384) end;
end $$;

-- As lockstep_take, for some of those that an event has just reached.
create function lockstep_take_reached(p_node uuid, p_queues text[], p_event uuid, p_limit integer)
returns table (instance_id uuid, tenant text, claim_no integer, stim integer, crashes smallint, due_in float8, messages json)
language plpgsql as $$
begin
  return query select * from lockstep_take(p_node, p_queues, array(select d.instance_id from event_delivery d where d.event_id = p_event limit p_limit));
end $$;
