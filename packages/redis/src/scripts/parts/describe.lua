-- What is known of a lock, for people: holders as { token, share, weight, max, fence, since, ends, holder, address }.
-- keys: as in parts/shared.lua
local function described(b)
  local value, ends = mutex_read(b)
  local found = {}
  if value ~= nil then
    if value then
      local token, fence, since, tail = mutex_parts(value)
      found[1] = { token, 'm', 1, 1, fence, since, ends, holder_text(tail), address_of(tail) }
    end
    return (value or first_live(b)) and 'mutex', found
  end
  if ends == '' then return nil, found end
  for _, token in ipairs(call('ZRANGEBYSCORE', KEYS[b + 5], '(' .. now, '+inf')) do
    local held = holder_of(b, token)
    if held then
      found[#found + 1] = {
        token, held[H_SHARE], held[H_WEIGHT], held[H_MAX], held[H_FENCE], held[H_SINCE],
        tonumber(call('ZSCORE', KEYS[b + 5], token)), holder_text(held[H_TAIL]), address_of(held[H_TAIL]),
      }
    end
  end
  return (found[1] or first_live(b)) and ends, found
end
