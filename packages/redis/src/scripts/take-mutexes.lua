-- The fast path of acquire-mutex: takes mutexes that are free and that nobody waits for; one SET for each lock, one ZADD for each bucket. All
-- leases have the same ttlMs, fenceCount and tail. Whatever is not free is left to acquire-mutex. Written for few steps, not for beauty.
-- keys: bucket* index · lease* lock (bucket by bucket)
-- args: bucketCount, nameFrom, ttlMs, fenceCount, tail · bucket* leaseCount · lease* token
-- returns: microseconds, then for each lease its fence, or 0 not free
-- include: time, mark
local buckets, name_from, ttl = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local count, tail = ARGV[4] - 1, '\n' .. us_text .. '\n' .. ARGV[5]
local answers, at = { us_text }, 0
for bucket = 1, buckets do
  local index = KEYS[bucket]
  local before = tonumber(call('ZSCORE', index, MARK) or 0)
  local last, names, n = before, {}, 0
  for _ = 1, ARGV[5 + bucket] do
    at = at + 1
    local lock, fence = KEYS[buckets + at], us
    if last >= us then fence = last + 1 end
    if call('SET', lock, ARGV[5 + buckets + at] .. '\n' .. digits(fence) .. tail, 'PX', ttl, 'NX') then
      last = fence + count
      names[n + 1], names[n + 2] = '0', string.sub(lock, name_from)
      n = n + 2
      answers[at + 1] = fence
    else
      answers[at + 1] = 0
    end
  end
  if n == 2 then
    call('ZADD', index, '0', names[2], digits(last), MARK)
  elseif n > 0 then
    names[n + 1], names[n + 2] = digits(last), MARK
    call('ZADD', index, unpack(names))
  end
  if n > 0 and last % HOUR < last - before then call('PEXPIRE', index, INDEX_LIFE) end
end
return answers
