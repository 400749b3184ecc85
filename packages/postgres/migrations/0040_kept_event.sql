-- 0040_kept_event.sql  An event that was kept for a wait ends that wait alone. It is matched once more when it is settled, and ended the next wait of the same instance too,
-- when that began for the same name before: whoever takes a kept event is now noted as reached, as whoever was told of it when it came.
-- Replaces a function; locks nothing that exists.
-- compatible-from: 0017

-- As in 0003, but it notes whom the event has reached.
create or replace function lockstep_take_kept(p_bookmark uuid) returns integer
language plpgsql as $$
declare
  b bookmark;
  e event;
  v_settled boolean;
begin
  select * into b from bookmark where id = p_bookmark;
  if not found then return 0; end if;
  loop
    select * into e from event
     where tenant = b.tenant and name = b.name and matched = 0 and expires_at > clock_timestamp()
       and (correlation_id is null or correlation_id = b.correlation_id)
     order by published_at limit 1;
    if not found then return 0; end if;
    update event set matched = 1 where id = e.id and tenant = e.tenant and matched = 0 returning settled into v_settled;
    exit when found;   -- else another bookmark was faster: look for the next one
  end loop;
  -- What is settled is matched no more.
  if not v_settled then
    insert into event_delivery (event_id, instance_id, tenant) values (e.id, b.instance_id, b.tenant) on conflict do nothing;
  end if;
  delete from bookmark where id = p_bookmark;
  insert into inbox (instance_id, tenant, kind, bookmark_id, name, step, payload)
  values (b.instance_id, b.tenant, 'event', b.id, b.name, b.step, e.payload);
  perform lockstep_stimulate(array[b.instance_id]);
  return 1;
end $$;
