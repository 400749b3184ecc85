-- Extends shares of read/write locks and semaphores that their tokens still hold.
-- keys: lease* lock, holders
-- args: lease* token, ttlMs
-- returns: microseconds, then for each lease 1 renewed, 0 lost
-- include: time, now
local answers, touched = { us_text }, {}
for i = 1, #KEYS / 2 do
  local lock, holders, token = KEYS[i * 2 - 1], KEYS[i * 2], ARGV[i * 2 - 1]
  local ends = call('ZSCORE', holders, token)
  if ends and tonumber(ends) > now then
    call('ZADD', holders, now + ARGV[i * 2], token)
    touched[lock] = holders
    answers[i + 1] = 1
  else
    answers[i + 1] = 0
  end
end
-- A key lives as long as its last lease, or as its queue: never less than it has.
for lock, holders in pairs(touched) do
  local last = call('ZREVRANGE', holders, 0, 0, 'WITHSCORES')
  local ends = math.max(last[2] - 1, now + call('PTTL', lock))
  call('PEXPIREAT', lock, ends)
  call('PEXPIREAT', holders, ends)
end
return answers
