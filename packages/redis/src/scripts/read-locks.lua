-- Reads locks by name, and drops from the index what is not in use any more. A semaphore whose size was set is known even then.
-- keys: bucket* index · lock* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel, waiterCount · lock* bucket
-- returns: for each lock 0, or { kind, max, waitingCount, holders, waiters }; see parts/describe.lua; a waiter is { token, share, weight, max, priority, since, holder }
-- include: batch, time, now, mark, fence, index, history, queue, owner, mutex, shared, describe
local most = tonumber(ARGV[HEAD + 1])
local answers = {}
for i = 1, (#KEYS - BUCKETS) / 6 do
  local b = BUCKETS + i * 6 - 6
  local kind, holders = described(b)
  if kind then
    local waiters = {}
    walk_queue(b, function(token, place, share)
      if #waiters == most then return 'stop' end
      waiters[#waiters + 1] =
        { token, share, place[P_WEIGHT], place[P_MAX], tostring(place[P_PRIORITY]), place[P_SINCE], holder_text(place[P_TAIL]) }
    end)
    local max = -1
    if kind == 'semaphore' then
      local known = holders[1] or waiters[1]
      max = max_of(b, known and known[4] or -1)
    end
    answers[i] = { kind, max, call('ZCARD', KEYS[b + 2]), holders, waiters }
  else
    index_drop(tonumber(ARGV[HEAD + 1 + i]), string.sub(KEYS[b + 1], NAME_FROM))
    local size = call('GET', KEYS[b + 6])
    answers[i] = size and { 'semaphore', tonumber(size), 0, {}, {} } or 0
  end
end
return answers
