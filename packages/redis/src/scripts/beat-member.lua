-- Says that a member lives, and drops those who stopped saying so.
-- keys: ends, members
-- args: id, member, ttlMs
-- returns: 1
-- include: time, now
call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
call('HSET', KEYS[2], ARGV[1], ARGV[2])
local gone = call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 64)
if gone[1] then
  call('ZREM', KEYS[1], unpack(gone))
  call('HDEL', KEYS[2], unpack(gone))
end
local last = call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if last[1] then
  call('PEXPIREAT', KEYS[1], last[2])
  call('PEXPIREAT', KEYS[2], last[2])
end
return 1
