-- Drops names from the index of one bucket whose lock is gone.
-- keys: bucket* index · lock* lock
-- args: nameFrom
-- returns: how many were dropped
local nameFrom = tonumber(ARGV[1])
if redis.call('EXISTS', unpack(KEYS)) == #KEYS then return 0 end
local gone = {}
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 0 then gone[#gone + 1] = string.sub(KEYS[i], nameFrom) end
end
if not gone[1] then return 0 end
return redis.call('ZREM', KEYS[1], unpack(gone))
