-- Removes a value unless a later fence was there. The fence stays for a week.
-- keys: value, guard
-- args: fence
-- returns: the fence seen before, or an empty text; then 1 removed, 0 refused
-- include: stale
local seen = redis.call('GET', KEYS[2])
if is_stale(ARGV[1], seen) then return { seen, 0 } end
redis.call('SET', KEYS[2], ARGV[1], 'PX', 604800000)
redis.call('DEL', KEYS[1])
return { seen or '', 1 }
