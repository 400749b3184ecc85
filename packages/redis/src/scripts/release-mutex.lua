-- Ends mutexes and places in their queues, and hands on what became free.
-- keys: bucket* index · lease* lock, queue, places, history
-- args: bucketCount, nameFrom, channel · lease* bucket, token
-- returns: microseconds, then for each lease 1 released, 0 gone
-- include: batch, time, now, mark, fence, index, history, queue, owner, mutex
local answers = { us_text }
for i = 1, (#KEYS - BUCKETS) / 4 do
  local b, a = BUCKETS + i * 4 - 4, HEAD + i * 2 - 2
  answers[i + 1] = mutex_release(b, tonumber(ARGV[a + 1]), string.sub(KEYS[b + 1], NAME_FROM), ARGV[a + 2])
end
keep_fences()
return answers
