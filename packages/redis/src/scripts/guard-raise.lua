-- Remembers a fence unless a later one was there, for a resource that is not in Redis.
-- keys: guard
-- args: fence
-- returns: the fence seen before, or an empty text; then 1 raised, 0 refused
-- include: stale
local seen = redis.call('GET', KEYS[1])
if is_stale(ARGV[1], seen) then return { seen, 0 } end
redis.call('SET', KEYS[1], ARGV[1])
return { seen or '', 1 }
