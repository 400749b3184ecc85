-- 0025_lease_ask.sql  Permits for somebody of a higher rank who fits at once, before somebody heavier who waits; as on Redis and in memory.
-- A holder that asks again says who it is now, and where it is told: a lease that another process goes on with shows that process.
-- compatible-from: 0017
-- The function of 0006 with one condition and, in two updates, two columns more. Nodes of before ask as they did.

create or replace function lockstep_lease_ask(
  p_ns text, p_name text, p_token text, p_share text, p_weight integer, p_max integer, p_ttl float8, p_count integer, p_holder text, p_tell text,
  p_channel text, p_priority integer, p_alive float8, p_grant float8, out o_fence bigint, out o_detail json
)
language plpgsql as $$
declare
  v_kind text := case p_share when 'mutex' then 'mutex' when 'permits' then 'semaphore' else 'read-write' end;
  v_channel text := p_channel;
  v_placed boolean := false;
  v_now timestamptz;
  v_ends timestamptz;
  v_max integer;
  v_used bigint;
  v_holders integer;
  v_writers integer;
  v_ahead bigint;
  l lease_lock;
  h lease_holder;
begin
  l := lockstep_lease_enter(p_ns, p_name, v_kind);
  v_now := clock_timestamp();
  v_ends := v_now + p_ttl * interval '1 millisecond';

  if l.waiting > 0 then
    if v_channel is null then
      delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token = p_token;
      if found then
        update lease_lock x set waiting = x.waiting - 1 where x.namespace = p_ns and x.name = p_name;
      end if;
    else
      -- Whoever asks lives, so it is not passed over just below.
      update lease_waiter x
         set alive_until = v_now + p_alive * interval '1 millisecond', grant_ms = p_grant, channel = v_channel, tell = p_tell, holder = p_holder
       where x.namespace = p_ns and x.name = p_name and x.token = p_token;
      v_placed := found;
    end if;
  end if;
  if v_kind = 'semaphore' then
    select coalesce((select x.max from lease_limit x where x.namespace = p_ns and x.name = p_name), p_max) into v_max;
    if l.kind = 'semaphore' and l.max is distinct from v_max then
      update lease_lock x set max = v_max where x.namespace = p_ns and x.name = p_name;
    end if;
    if p_weight > v_max and v_placed and l.kind = 'semaphore' then
      delete from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token = p_token;
      update lease_lock x set waiting = x.waiting - 1 where x.namespace = p_ns and x.name = p_name;
    end if;
  end if;

  perform lockstep_lease_settle(p_ns, p_name, p_token, v_now);
  select * into l from lease_lock x where x.namespace = p_ns and x.name = p_name;
  if l.kind <> 'mutex' or v_kind <> 'mutex' then
    select coalesce(sum(x.weight), 0), count(*), count(*) filter (where x.share = 'write')
      into v_used, v_holders, v_writers from lease_holder x where x.namespace = p_ns and x.name = p_name;
  end if;

  if l.kind <> v_kind then
    if l.token is not null or l.waiting > 0 or v_holders > 0 then
      o_detail := json_build_object('status', 'wrong-kind', 'inUseAs', l.kind);
      return;
    end if;
    update lease_lock x set kind = v_kind, max = v_max, phase = null where x.namespace = p_ns and x.name = p_name;
    l.kind := v_kind;
  end if;

  if v_kind = 'mutex' then
    if l.token = p_token then
      update lease_lock x set expires_at = v_ends, tell = p_tell, holder = p_holder where x.namespace = p_ns and x.name = p_name;
      o_fence := l.fence;
      return;
    elsif l.token is null then
      o_fence := lockstep_lease_fence(p_count);
      update lease_lock x set token = p_token, fence = o_fence, acquired_at = v_now, expires_at = v_ends, tell = p_tell, holder = p_holder
       where x.namespace = p_ns and x.name = p_name;
      return;
    end if;
    h.holder := l.holder;
    h.expires_at := l.expires_at;
  else
    select * into h from lease_holder x where x.namespace = p_ns and x.name = p_name and x.token = p_token;
    -- What is held stays held, however small the lock has become meanwhile.
    if p_weight > v_max and h.weight is distinct from p_weight then
      o_detail := json_build_object('status', 'too-heavy', 'max', v_max);
      return;
    end if;
    if h.token is not null then
      v_channel := null;
      if h.share = p_share and h.weight = p_weight then
        update lease_holder x set expires_at = v_ends, tell = p_tell, holder = p_holder
         where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        o_fence := h.fence;
      elsif p_share = 'read' then
        update lease_holder x set share = 'read', expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        -- The row still says that a writer went in last: its phase is over, so the readers that wait go in.
        perform lockstep_lease_settle(p_ns, p_name, p_token, v_now);
        update lease_lock x set phase = 'read' where x.namespace = p_ns and x.name = p_name;
        o_fence := h.fence;
      elsif p_share = 'write' and v_holders = 1 then
        o_fence := lockstep_lease_fence(p_count);
        update lease_holder x set share = 'write', fence = o_fence, expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        update lease_lock x set phase = 'write' where x.namespace = p_ns and x.name = p_name;
      elsif p_share = 'permits' and (p_weight < h.weight or v_used - h.weight + p_weight <= v_max) then
        update lease_holder x set weight = p_weight, expires_at = v_ends where x.namespace = p_ns and x.name = p_name and x.token = p_token;
        perform lockstep_lease_settle(p_ns, p_name, p_token, v_now);
        o_fence := h.fence;
      end if;
    -- Whoever became too heavy waits for nothing, and stands in nobody's way. Nor does one of lower rank who does not fit yet.
    elsif (l.waiting = 0 or v_kind = 'semaphore' and not exists (
             select from lease_waiter x where x.namespace = p_ns and x.name = p_name and x.token <> p_token and x.weight <= v_max
                and (v_channel is null or v_placed or x.priority >= p_priority)))
          and (case p_share when 'read' then v_writers = 0 when 'write' then v_holders = 0 else v_used + p_weight <= v_max end) then
      o_fence := lockstep_lease_fence(p_count);
      insert into lease_holder (namespace, name, token, share, weight, fence, acquired_at, expires_at, tell, holder)
      values (p_ns, p_name, p_token, p_share, p_weight, o_fence, v_now, v_ends, p_tell, p_holder);
      if v_kind = 'read-write' and l.phase is distinct from p_share then
        update lease_lock x set phase = p_share where x.namespace = p_ns and x.name = p_name;
      end if;
    end if;
    if o_fence is not null then
      return;
    end if;
    select * into h from lease_holder x where x.namespace = p_ns and x.name = p_name and x.token <> p_token order by x.expires_at limit 1;
  end if;

  if v_channel is not null then
    if not v_placed then
      insert into lease_waiter (namespace, name, token, share, weight, priority, since, alive_until, grant_ms, fence_count, channel, tell, holder)
      values (p_ns, p_name, p_token, p_share, p_weight, p_priority, v_now, v_now + p_alive * interval '1 millisecond', p_grant, p_count, v_channel, p_tell, p_holder);
      update lease_lock x set waiting = x.waiting + 1 where x.namespace = p_ns and x.name = p_name;
    end if;
    select count(*) into v_ahead
      from lease_waiter me
      join lease_waiter x on x.namespace = p_ns and x.name = p_name and x.alive_until > v_now
       and (x.priority > me.priority or x.priority = me.priority and x.place < me.place)
     where me.namespace = p_ns and me.name = p_name and me.token = p_token;
  end if;
  o_detail := json_build_object('status', case when v_channel is null then 'busy' else 'queued' end, 'ahead', v_ahead,
                                'holder', h.holder, 'leftMs', lockstep_lease_ms(h.expires_at) - lockstep_lease_ms(v_now));
end $$;
