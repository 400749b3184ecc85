-- Read/write locks and semaphores. `lock` is a hash: kind, max, used (permits), writer (token), and '+' .. token for each holder;
-- `holders` orders the tokens by when they end. Both keys end with the last of them, or with the queue.
-- keys: lock KEYS[b + 1], queue KEYS[b + 2], places KEYS[b + 3], history KEYS[b + 4], holders KEYS[b + 5], max KEYS[b + 6]
-- share: r reads, w writes, p permits
local H_SHARE, H_WEIGHT, H_FENCE, H_SINCE, H_TAIL, H_MAX = 1, 2, 3, 4, 5, 6
local KIND_OF = { m = 'mutex', r = 'read-write', w = 'read-write', p = 'semaphore' }

local function holder_of(b, token)
  local raw = call('HGET', KEYS[b + 1], '+' .. token)
  return raw and cmsgpack.unpack(raw)
end

-- Sets the life of both keys. Without holders and without anybody who waits they go at once.
local function shared_touch(b)
  local last = call('ZREVRANGE', KEYS[b + 5], 0, 0, 'WITHSCORES')
  local life = queue_life(b)
  if not last[1] and life == 0 then
    call('DEL', KEYS[b + 1], KEYS[b + 5])
    return
  end
  -- A key is gone when the clock is past its time, a lease when the clock has reached it.
  local ends = math.max(last[1] and last[2] - 1 or 0, life > 0 and now + life or 0)
  call('PEXPIREAT', KEYS[b + 1], ends)
  call('PEXPIREAT', KEYS[b + 5], ends)
end

local function shared_put(b, token, share, weight, max, fence, tail, ttl)
  local kind = KIND_OF[share]
  call('HSET', KEYS[b + 1], 'kind', kind, 'max', max,
    '+' .. token, cmsgpack.pack({ share, weight, fence, us_text, tail, max }))
  if share == 'p' then call('HINCRBY', KEYS[b + 1], 'used', weight) end
  if share == 'w' then call('HSET', KEYS[b + 1], 'writer', token) end
  call('ZADD', KEYS[b + 5], now + ttl, token)
end

local function shared_drop(b, token, held)
  call('HDEL', KEYS[b + 1], '+' .. token)
  call('ZREM', KEYS[b + 5], token)
  if held[H_SHARE] == 'p' then call('HINCRBY', KEYS[b + 1], 'used', -held[H_WEIGHT]) end
  if held[H_SHARE] == 'w' then call('HDEL', KEYS[b + 1], 'writer') end
end

-- Drops who ended. Answers the share of the last one dropped.
local function shared_purge(b)
  local share
  local waited_for = call('EXISTS', KEYS[b + 2]) == 1
  for _, token in ipairs(call('ZRANGEBYSCORE', KEYS[b + 5], '-inf', now)) do
    local held = holder_of(b, token)
    if held then
      share = held[H_SHARE]
      shared_drop(b, token, held)
      if waited_for then note(b, 'expired', holder_text(held[H_TAIL]), held[H_FENCE]) end
    else
      call('ZREM', KEYS[b + 5], token)
    end
  end
  return share
end

local function max_of(b, asked) return tonumber(call('GET', KEYS[b + 6]) or asked) end

-- Turns a place into a lease. `r` is who asks now: it is not told, it is answered.
local function shared_grant(b, bucket, name, token, place, share, r)
  local fence = take_fence(bucket, place[P_COUNT])
  local mine = r and r.token == token
  shared_put(b, token, share, place[P_WEIGHT], place[P_MAX], fence, place[P_TAIL], mine and r.ttl or place[P_GRANT_TTL])
  index_add(bucket, name)
  note(b, 'granted', holder_text(place[P_TAIL]), fence)
  if mine then
    r.granted = fence
  else
    tell(place[P_ADDRESS], 'granted', token, fence, name)
  end
end

local function pump_permits(b, bucket, name, r)
  walk_queue(b, function(token, place, share)
    local max = max_of(b, place[P_MAX])
    -- Too heavy since it was resized: it learns so when it asks again, and nobody waits behind it.
    if place[P_WEIGHT] > max then return end
    local used = tonumber(call('HGET', KEYS[b + 1], 'used') or 0)
    if used + place[P_WEIGHT] > max then return 'stop' end
    shared_grant(b, bucket, name, token, place, share, r)
    return 'leave'
  end)
end

-- The share of the first who waits and still asks, and whether a writer is among them.
local function who_waits(b)
  local first, writer
  walk_queue(b, function(_, _, share)
    first = first or share
    if share == 'w' then
      writer = true
      return 'stop'
    end
  end)
  return first, writer
end

local function let_in(b, bucket, name, wanted, r)
  local came = 0
  walk_queue(b, function(token, place, share)
    if share ~= wanted then return end
    if wanted == 'w' and came > 0 then return 'stop' end
    shared_grant(b, bucket, name, token, place, share, r)
    came = came + 1
    return 'leave'
  end)
  return came
end

-- Phase-fair: when a writer left, all readers that wait go in together; when the readers left, the next writer.
-- `left` is the share that left last, nil when that is not known: then the first in the queue decides.
local function pump_readers_and_writers(b, bucket, name, left, r)
  if call('HEXISTS', KEYS[b + 1], 'writer') == 1 then return end
  local first, writer = who_waits(b)
  if not first then return end
  if call('ZCARD', KEYS[b + 5]) > 0 then
    if left == 'w' or not writer then let_in(b, bucket, name, 'r', r) end
    return
  end
  local turn = (left == 'w' and 'r') or (left == 'r' and 'w') or first
  if let_in(b, bucket, name, turn, r) == 0 then let_in(b, bucket, name, turn == 'r' and 'w' or 'r', r) end
end

-- Lets in whoever may go now.
local function shared_pump(b, bucket, name, kind, left, r)
  if call('EXISTS', KEYS[b + 2]) == 0 then return end
  if kind == 'semaphore' then
    pump_permits(b, bucket, name, r)
  else
    pump_readers_and_writers(b, bucket, name, left, r)
  end
end
