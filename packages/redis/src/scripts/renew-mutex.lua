-- Extends mutexes that their tokens still hold. A marked key lives on with its queue; its mark says when the lease ends.
-- keys: lease* lock
-- args: lease* token, ttlMs
-- returns: microseconds, then for each lease 1 renewed, 0 lost, 2 renewed and somebody waits
-- include: time, now, owner
local values = call('MGET', unpack(KEYS))
local answers = { us_text }
for i, lock in ipairs(KEYS) do
  local value, token, ttl = values[i], ARGV[i * 2 - 1], ARGV[i * 2]
  local renewed = false
  if owns(value, token) then
    renewed = call('PEXPIRE', lock, ttl) == 1
  elseif value and is_marked(value) then
    local ends, plain = string.match(value, '^!(%d+)\n(.*)$')
    if tonumber(ends) > now and owns(plain, token) then
      local life = math.max(call('PTTL', lock), tonumber(ttl))
      call('SET', lock, '!' .. string.format('%.0f', now + ttl) .. '\n' .. plain, 'PX', life)
      renewed = 'waited for'
    end
  end
  answers[i + 1] = renewed == 'waited for' and 2 or renewed and 1 or 0
end
return answers
