-- Grants all or none: each is asked for in turn, and what was newly granted is taken back when one was refused. Nobody is queued, nobody is told.
-- keys: bucket* index · lease* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel · lease* bucket, token, ttlMs, fenceCount, tail, wait, share, weight, max
-- returns: microseconds, then for each lease its fence, 0 free, or { 'b', holder, leftMs }, { 'k', kind }, { 'h', max }
-- include: batch, time, now, mark, fence, index, history, queue, owner, mutex, shared, shared-acquire, request
local answers, fresh, refused = { us_text }, {}, false
for i = 1, (#KEYS - BUCKETS) / 6 do
  local b, r = BUCKETS + i * 6 - 6, request_at(HEAD + i * 9 - 9)
  r.priority = nil
  local name = string.sub(KEYS[b + 1], NAME_FROM)
  local answer, new, was
  if r.share == 'm' then
    answer, new = mutex_acquire(b, r.bucket, name, r)
  else
    answer, new, was = shared_acquire(b, r.bucket, name, r)
  end
  if type(answer) == 'table' then refused = true end
  if new or was then fresh[#fresh + 1] = { b, r, name, was } end
  answers[i + 1] = answer
end
if refused then
  for i = #fresh, 1, -1 do
    local b, r, name, was = fresh[i][1], fresh[i][2], fresh[i][3], fresh[i][4]
    if r.share == 'm' then
      call('DEL', KEYS[b + 1])
    else
      shared_drop(b, r.token, holder_of(b, r.token))
      if was then
        shared_put(b, r.token, was[H_SHARE], was[H_WEIGHT], was[H_MAX], was[H_FENCE], was[H_TAIL], r.ttl)
      end
      shared_touch(b)
    end
    if call('EXISTS', KEYS[b + 1], KEYS[b + 2]) == 0 then index_drop(r.bucket, name) end
  end
  for i = 2, #answers do
    if type(answers[i]) ~= 'table' then answers[i] = 0 end
  end
end
keep_fences()
return answers
