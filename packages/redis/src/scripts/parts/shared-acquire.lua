-- Asking for a share of a read/write lock or a semaphore, and giving it back.

-- The kind that is in use: 'mutex', another one, '' for something that is no lock, nil when it is free and nobody waits.
local function shared_kind(b)
  local kind = redis.pcall('HGET', KEYS[b + 1], 'kind')
  if type(kind) ~= 'table' then return kind or nil end
  if call('TYPE', KEYS[b + 1]).ok == 'string' then return 'mutex' end
  return ''
end

local function shared_in_the_way(b)
  local first = call('ZRANGE', KEYS[b + 5], 0, 0, 'WITHSCORES')
  if not first[1] then return '', -1 end
  local held = holder_of(b, first[1])
  return held and holder_text(held[H_TAIL]) or '', first[2] - now
end

-- Whether somebody who does not wait may go in now without going past anybody.
local function shared_is_open(b, r)
  if call('HEXISTS', KEYS[b + 1], 'writer') == 1 then return false end
  if r.share == 'r' then
    local _, writer = who_waits(b)
    return not writer
  end
  if r.share == 'w' then return not first_live(b) and call('ZCARD', KEYS[b + 5]) == 0 end
  local is_first = true
  walk_queue(b, function(_, place)
    -- Somebody who became too heavy stands in nobody's way.
    if place[P_WEIGHT] > max_of(b, place[P_MAX]) then return end
    is_first = false
    return 'stop'
  end)
  return is_first and tonumber(call('HGET', KEYS[b + 1], 'used') or 0) + r.weight <= r.limit
end

-- Its own lease, asked for again: the same share is extended, write becomes read, the only reader may become a writer.
-- Answers as shared_acquire does, and what it held before when a reader became a writer.
local function shared_again(b, bucket, name, r, held)
  local had, fence = held[H_SHARE], held[H_FENCE]
  if had == 'r' and r.share == 'w' then
    if call('ZCARD', KEYS[b + 5]) > 1 then
      local holder, left = shared_in_the_way(b)
      return { 'b', holder, left }
    end
    fence = take_fence(bucket, r.count)
  end
  if had ~= r.share then
    shared_drop(b, r.token, held)
    shared_put(b, r.token, r.share, held[H_WEIGHT], held[H_MAX], fence, held[H_TAIL], r.ttl)
    if had == 'w' then shared_pump(b, bucket, name, 'read-write', 'w') end
  elseif held[H_TAIL] ~= r.tail then
    -- Another process has taken it over.
    held[H_TAIL] = r.tail
    call('HSET', KEYS[b + 1], '+' .. r.token, cmsgpack.pack(held))
  end
  call('ZADD', KEYS[b + 5], now + r.ttl, r.token)
  shared_touch(b)
  return fence, false, had == 'r' and r.share == 'w' and held or nil
end

-- Answers a fence, or { 'q', ahead, holder, left }, { 'b', holder, left }, { 'k', kind }, { 'h', max }; and whether the grant is a new one.
local function shared_acquire(b, bucket, name, r)
  local wanted = KIND_OF[r.share]
  local kind = shared_kind(b)
  if kind == 'mutex' or kind == '' then return kind == '' and { 'b', '', -1 } or { 'k', kind } end
  local left
  if kind then
    left = shared_purge(b)
    if kind ~= wanted then
      if call('ZCARD', KEYS[b + 5]) > 0 or first_live(b) then return { 'k', kind } end
      call('DEL', KEYS[b + 1], KEYS[b + 5])
    end
    local held = holder_of(b, r.token)
    if held then return shared_again(b, bucket, name, r, held) end
  end
  r.limit = r.share == 'p' and max_of(b, r.max) or 1
  if r.weight > r.limit then
    local place = place_of(b, r.token)
    if place then
      leave(b, r.token, place[P_MEMBER])
      shared_pump(b, bucket, name, wanted, left)
      shared_touch(b)
    end
    return { 'h', r.limit }
  end
  local waits = call('EXISTS', KEYS[b + 2]) == 1
  if waits then shared_pump(b, bucket, name, wanted, left, r) end
  if r.granted then
    shared_touch(b)
    return r.granted, true
  end
  -- A place that it has already stays where it is, even when the share would fit: the pump decides for those who wait.
  if not (waits and place_of(b, r.token)) and shared_is_open(b, r) then
    local fence = take_fence(bucket, r.count)
    shared_put(b, r.token, r.share, r.weight, r.max, fence, r.tail, r.ttl)
    shared_touch(b)
    index_add(bucket, name)
    return fence, true
  end
  local member = r.priority and join_queue(b, bucket, r)
  -- Its priority may have put it in front of somebody heavier.
  if member and waits then shared_pump(b, bucket, name, wanted, left, r) end
  if r.granted then
    shared_touch(b)
    return r.granted, true
  end
  local holder, left_ms = shared_in_the_way(b)
  shared_touch(b)
  if not member then return { 'b', holder, left_ms } end
  index_add(bucket, name)
  return { 'q', call('ZRANK', KEYS[b + 2], member), holder, left_ms }
end

-- Ends the lease, or the place, of `token`. 1 released, 0 gone.
local function shared_release(b, bucket, name, token)
  local kind = shared_kind(b)
  if not kind or kind == 'mutex' or kind == '' then return 0 end
  local left = shared_purge(b)
  local held, place = holder_of(b, token), place_of(b, token)
  if held then
    left = held[H_SHARE]
    shared_drop(b, token, held)
    if call('EXISTS', KEYS[b + 2]) == 1 then note(b, 'released', holder_text(held[H_TAIL]), held[H_FENCE]) end
  end
  if place then leave(b, token, place[P_MEMBER]) end
  shared_pump(b, bucket, name, kind, left)
  shared_touch(b)
  if call('EXISTS', KEYS[b + 1], KEYS[b + 2]) == 0 then index_drop(bucket, name) end
  if held or (place and place[P_ALIVE] > now) then return 1 end
  return 0
end
