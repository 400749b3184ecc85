-- Fences of a bucket: max(last + 1, server microseconds), which stay below 2^53, so that doubles hold them exactly. Should the mark be lost
-- with everything else, the clock is higher anyway.
-- keys: index KEYS[bucket]
local last_fences, raised = {}, {}

local function next_fence(bucket)
  local last = last_fences[bucket]
  if not last then
    last = tonumber(call('ZSCORE', KEYS[bucket], MARK) or 0)
    last_fences[bucket] = last
  end
  if last >= us then return last + 1 end
  return us
end

local function raise_fence(bucket, last)
  if not raised[bucket] then raised[bucket] = last % HOUR < last - last_fences[bucket] and 'renew' or 'keep' end
  last_fences[bucket] = last
end

local function take_fence(bucket, count)
  local fence = next_fence(bucket)
  raise_fence(bucket, fence + count - 1)
  return digits(fence)
end

local function keep_fences()
  for bucket, life in pairs(raised) do
    call('ZADD', KEYS[bucket], digits(last_fences[bucket]), MARK)
    if life == 'renew' then call('PEXPIRE', KEYS[bucket], INDEX_LIFE) end
  end
end
