-- The mutex and its queue.
-- keys: lock KEYS[b + 1], queue KEYS[b + 2], places KEYS[b + 3], history KEYS[b + 4]
local function mutex_parts(value) return string.match(value, '^([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$') end

-- The value without its mark, and when it ends; false when it is free, then with what is left of the lease that ended. Or nil, when
-- this is no mutex, and what it is: a kind, or '' for no lock at all.
local function mutex_read(b)
  local value = redis.pcall('GET', KEYS[b + 1])
  if not value then return false end
  if type(value) == 'table' then
    if call('TYPE', KEYS[b + 1]).ok ~= 'hash' then return nil, '' end
    return nil, call('HGET', KEYS[b + 1], 'kind') or ''
  end
  if not is_marked(value) then
    if not mutex_parts(value) then return nil, '' end
    return value, now + math.max(0, call('PTTL', KEYS[b + 1]))
  end
  local ends, plain = string.match(value, '^!(%d+)\n(.*)$')
  if tonumber(ends) <= now then return false, plain end
  return plain, tonumber(ends)
end

local function mutex_write(b, value, ends)
  local life = queue_life(b)
  if life == 0 then
    call('SET', KEYS[b + 1], value, 'PX', ends - now)
  else
    call('SET', KEYS[b + 1], '!' .. string.format('%.0f', ends) .. '\n' .. value, 'PX', math.max(life, ends - now))
  end
end

-- Gives a free mutex to the first who waits and still asks; answers its token, fence, value and end. `r` is who asks now: it is not told, it is
-- answered. Without anybody the lock is gone.
local function mutex_pump(b, bucket, name, r)
  local token, place = first_live(b)
  if not token then
    call('DEL', KEYS[b + 1], KEYS[b + 2], KEYS[b + 3])
    return nil
  end
  leave(b, token, place[P_MEMBER])
  local fence = take_fence(bucket, place[P_COUNT])
  local value = token .. '\n' .. fence .. '\n' .. us_text .. '\n' .. place[P_TAIL]
  local mine = r and r.token == token
  local ends = now + (mine and r.ttl or place[P_GRANT_TTL])
  mutex_write(b, value, ends)
  index_add(bucket, name)
  note(b, 'granted', holder_text(place[P_TAIL]), fence)
  if not mine then tell(place[P_ADDRESS], 'granted', token, fence, name) end
  return token, fence, value, ends
end

-- Answers a fence, or { 'q', ahead, holder, left }, { 'b', holder, left }, { 'k', kind }; and whether the grant is a new one.
local function mutex_acquire(b, bucket, name, r)
  local value, ends = mutex_read(b)
  if value == nil then return ends == '' and { 'b', '', -1 } or { 'k', ends } end
  if owns(value, r.token) then
    -- It says who it is now: another process may have taken it over.
    local _, fence, since = mutex_parts(value)
    mutex_write(b, r.token .. '\n' .. fence .. '\n' .. since .. '\n' .. r.tail, now + r.ttl)
    return fence
  end
  if not value then
    if ends then
      local _, fence, _, tail = mutex_parts(ends)
      note(b, 'expired', holder_text(tail), fence)
    end
    if not first_live(b) then
      local fence = take_fence(bucket, r.count)
      call('DEL', KEYS[b + 2], KEYS[b + 3])
      mutex_write(b, r.token .. '\n' .. fence .. '\n' .. us_text .. '\n' .. r.tail, now + r.ttl)
      index_add(bucket, name)
      return fence, true
    end
  end
  local member = r.priority and join_queue(b, bucket, r)
  if not value then
    local token, fence
    token, fence, value, ends = mutex_pump(b, bucket, name, r)
    if token == r.token then return fence, true end
  elseif member then
    mutex_write(b, value, ends)
  end
  local _, _, _, tail = mutex_parts(value)
  if not member then return { 'b', holder_text(tail), ends - now } end
  index_add(bucket, name)
  return { 'q', call('ZRANK', KEYS[b + 2], member), holder_text(tail), ends - now }
end

-- Ends the lease, or the place, of `token`. 1 released, 0 gone.
local function mutex_release(b, bucket, name, token)
  local value, ends = mutex_read(b)
  if value == nil then return 0 end
  if owns(value, token) then
    local waited = queue_life(b) > 0
    if waited or lasted(value, token) then
      local _, fence, _, tail = mutex_parts(value)
      note(b, 'released', holder_text(tail), fence, nil, nil, not waited and SHORT_HISTORY_LIFE or nil)
    end
    if not mutex_pump(b, bucket, name) then index_drop(bucket, name) end
    return 1
  end
  local place = place_of(b, token)
  if place then leave(b, token, place[P_MEMBER]) end
  if not value then
    if not mutex_pump(b, bucket, name) then index_drop(bucket, name) end
  elseif place then
    mutex_write(b, value, ends)
  end
  return place and place[P_ALIVE] > now and 1 or 0
end
