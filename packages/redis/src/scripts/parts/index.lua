-- Which locks of a bucket are in use, in the order of the alphabet. Names whose lease ended by itself are dropped by whoever comes across
-- them (weed-index, read-locks).
-- keys: index KEYS[bucket]

-- An index without its mark is new, or was thrown away by the server: it must get one, and with it a life.
local function index_add(bucket, name)
  next_fence(bucket)
  if last_fences[bucket] == 0 then raise_fence(bucket, us) end
  call('ZADD', KEYS[bucket], 0, name)
end

local function index_drop(bucket, name) call('ZREM', KEYS[bucket], name) end
