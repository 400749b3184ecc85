-- Writes a value unless a later fence was there. The fence stays a week longer than the value.
-- keys: value, guard
-- args: fence, value, ttlMs (0: for good)
-- returns: the fence seen before, or an empty text; then 1 written, 0 refused
-- include: stale
local seen = redis.call('GET', KEYS[2])
if is_stale(ARGV[1], seen) then return { seen, 0 } end
local ttl = tonumber(ARGV[3])
if ttl > 0 then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ttl + 604800000)
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ttl)
else
  redis.call('SET', KEYS[2], ARGV[1])
  redis.call('SET', KEYS[1], ARGV[2])
end
return { seen or '', 1 }
