-- Ends shares of read/write locks and semaphores, and places in their queues, and lets in whoever may go now.
-- keys: bucket* index · lease* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel · lease* bucket, token
-- returns: microseconds, then for each lease 1 released, 0 gone
-- include: batch, time, now, mark, fence, index, history, queue, shared, shared-acquire
local answers = { us_text }
for i = 1, (#KEYS - BUCKETS) / 6 do
  local b, a = BUCKETS + i * 6 - 6, HEAD + i * 2 - 2
  answers[i + 1] = shared_release(b, tonumber(ARGV[a + 1]), string.sub(KEYS[b + 1], NAME_FROM), ARGV[a + 2])
end
keep_fences()
return answers
