-- Asks for shares of read/write locks and semaphores.
-- keys: bucket* index · lease* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel · lease* bucket, token, ttlMs, fenceCount, tail, wait, share, weight, max
-- returns: microseconds, then for each lease its fence, or { 'q', ahead, holder, leftMs }, { 'b', holder, leftMs }, { 'k', kind }, { 'h', max }
-- include: batch, time, now, mark, fence, index, history, queue, shared, shared-acquire, request
local answers = { us_text }
for i = 1, (#KEYS - BUCKETS) / 6 do
  local b, r = BUCKETS + i * 6 - 6, request_at(HEAD + i * 9 - 9)
  answers[i + 1] = shared_acquire(b, r.bucket, string.sub(KEYS[b + 1], NAME_FROM), r)
end
keep_fences()
return answers
