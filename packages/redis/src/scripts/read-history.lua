-- What happened to a lock, newest first.
-- keys: history
-- args: limit
-- returns: { microseconds, kind, holder, fence, reason, by } each
local events = {}
for i, raw in ipairs(redis.call('LRANGE', KEYS[1], 0, ARGV[1] - 1)) do events[i] = cmsgpack.unpack(raw) end
return events
