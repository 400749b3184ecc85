-- Asks for mutexes.
-- keys: bucket* index · lease* lock, queue, places, history
-- args: bucketCount, nameFrom, channel · lease* bucket, token, ttlMs, fenceCount, tail, wait
-- returns: microseconds, then for each lease its fence, or { 'q', ahead, holder, leftMs }, { 'b', holder, leftMs }, { 'k', kind }
-- include: batch, time, now, mark, fence, index, history, queue, owner, mutex
local answers = { us_text }
for i = 1, (#KEYS - BUCKETS) / 4 do
  local b, a = BUCKETS + i * 4 - 4, HEAD + i * 6 - 6
  local r = {
    token = ARGV[a + 2],
    ttl = tonumber(ARGV[a + 3]),
    count = tonumber(ARGV[a + 4]),
    tail = ARGV[a + 5],
    share = 'm',
    weight = 1,
    max = 1,
  }
  local name = string.sub(KEYS[b + 1], NAME_FROM)
  answers[i + 1] = mutex_acquire(b, tonumber(ARGV[a + 1]), name, with_wait(r, ARGV[a + 6]))
end
keep_fences()
return answers
