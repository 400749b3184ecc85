-- Those who live now.
-- keys: ends, members
-- args: none
-- returns: members
-- include: time, now
local found = {}
for _, id in ipairs(call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')) do
  found[#found + 1] = call('HGET', KEYS[2], id) or nil
end
return found
