-- 0044_breaker_history.sql  The last changes of each breaker, with why and by whom: what it is now does not tell whether it opened once or every minute.
-- compatible-from: 0017
-- Lock: step_breaker, briefly; its columns have constant defaults and no row is rewritten. A trigger notes them, so that changes by nodes of the version before are there too.

-- said: what a statement has to say of its change ({ reason, node, by }). The trigger takes it, and none is left for the next.
alter table step_breaker add column history jsonb not null default '[]', add column said jsonb;

-- The newest first, twenty at most.
create function lockstep_note_breaker() returns trigger
language plpgsql set search_path from current as $$
declare
  v_node uuid := (new.said ->> 'node')::uuid;
  v_reason text := new.said ->> 'reason';
begin
  if tg_op = 'INSERT' then
    v_reason := coalesce(v_reason, new.reason);
  elsif new.said is null then
    v_node := coalesce(new.probe_node, old.probe_node);
    v_reason := case when new.opened_at is distinct from old.opened_at then new.reason end;
  end if;
  new.history := jsonb_path_query_array(
    jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
      'state', new.state, 'at', round(extract(epoch from new.changed_at) * 1000), 'reason', left(v_reason, 200),
      'node', v_node, 'name', (select n.name from node n where n.id = v_node), 'by', new.said ->> 'by'))) || new.history,
    '$[0 to 19]');
  new.said := null;
  return new;
end $$;
create trigger step_breaker_opened before insert on step_breaker for each row execute function lockstep_note_breaker();
create trigger step_breaker_changed before update on step_breaker for each row
  when (old.generation is distinct from new.generation) execute function lockstep_note_breaker();
