-- Those who wait for a lock. `queue` orders them: score = -priority, member = ticket .. share .. token, and equal scores are in
-- the order of their members, so a ticket that only rises is the order of arrival. `places` has what each asked for, by token.
-- Whenever somebody waits there is a lock key, whoever holds it: so a lock key that is absent says that nobody waits either.
-- keys: queue KEYS[b + 2], places KEYS[b + 3]
local TICKET_LENGTH = 16
local PAGE = 32
local P_MEMBER, P_ALIVE, P_ADDRESS, P_GRANT_TTL, P_COUNT, P_TAIL, P_SINCE, P_WEIGHT, P_MAX, P_PRIORITY = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

-- A tail is the address for revocations, a line's end, and the holder as it was handed in.
local function address_of(tail) return string.match(tail, '^[^\n]*') end
local function holder_text(tail) return string.match(tail, '\n(.*)$') or '' end

-- How a request waits: '' or not at all, else its priority, aliveMs, grantTtlMs and address.
local function with_wait(r, wait)
  local priority, alive, grant_ttl, address = string.match(wait, '^(%S+) (%d+) (%d+) (.*)$')
  if priority then
    r.priority, r.alive, r.grant_ttl, r.place_address = tonumber(priority), tonumber(alive), tonumber(grant_ttl), address
  end
  return r
end

local function share_of(member) return string.sub(member, TICKET_LENGTH + 1, TICKET_LENGTH + 1) end
local function token_of(member) return string.sub(member, TICKET_LENGTH + 2) end

local function place_of(b, token)
  local raw = call('HGET', KEYS[b + 3], token)
  return raw and cmsgpack.unpack(raw)
end

local function leave(b, token, member)
  call('ZREM', KEYS[b + 2], member)
  call('HDEL', KEYS[b + 3], token)
end

-- Calls visit(token, place, share) in order until it answers 'stop'; whoever it answers 'leave' for, and whoever died, goes.
local function walk_queue(b, visit)
  local from = 0
  while true do
    local members = call('ZRANGE', KEYS[b + 2], from, from + PAGE - 1)
    for _, member in ipairs(members) do
      local token = token_of(member)
      local place = place_of(b, token)
      local verdict
      if not place or place[P_ALIVE] <= now then
        verdict = 'leave'
      else
        verdict = visit(token, place, share_of(member))
      end
      if verdict == 'leave' then
        leave(b, token, member)
      elseif verdict == 'stop' then
        return
      else
        from = from + 1
      end
    end
    if #members < PAGE then return end
  end
end

-- The first who waits and still asks.
local function first_live(b)
  local found_token, found_place
  walk_queue(b, function(token, place)
    found_token, found_place = token, place
    return 'stop'
  end)
  return found_token, found_place
end

-- How long somebody may still wait; 0 when nobody does.
local function queue_life(b) return math.max(0, call('PTTL', KEYS[b + 2])) end

-- Takes a place, or keeps the one it has. r: token, share, count, tail, weight, max, and what with_wait adds
local function join_queue(b, bucket, r)
  local place = place_of(b, r.token)
  if not place or place[P_ALIVE] <= now then
    if place then leave(b, r.token, place[P_MEMBER]) end
    local member = string.sub('0000000000000000' .. take_fence(bucket, 1), -TICKET_LENGTH) .. r.share .. r.token
    call('ZADD', KEYS[b + 2], -r.priority, member)
    place = { member, 0, r.place_address, r.grant_ttl, r.count, r.tail, us_text, r.weight, r.max, r.priority }
  end
  place[P_ALIVE] = now + r.alive
  call('HSET', KEYS[b + 3], r.token, cmsgpack.pack(place))
  local life = math.max(queue_life(b), r.alive)
  call('PEXPIRE', KEYS[b + 2], life)
  call('PEXPIRE', KEYS[b + 3], life)
  return place[P_MEMBER]
end

-- Channels are no keys. A message is lines: kind, token, fence, time, name, and the reason as the rest.
local function tell(address, kind, token, fence, name, reason)
  if address == '' then return end
  call('PUBLISH', CHANNEL .. address, kind .. '\n' .. token .. '\n' .. fence .. '\n' .. us_text .. '\n' .. name .. '\n' .. (reason or ''))
end
