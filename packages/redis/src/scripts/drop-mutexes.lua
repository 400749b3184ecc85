-- The fast path of release-mutex: ends mutexes that nobody waits for. Whatever is marked, because somebody does, or has lasted, is left to release-mutex.
-- Written for few steps, not for beauty.
-- keys: bucket* index · lease* lock (bucket by bucket)
-- args: bucketCount, nameFrom · bucket* leaseCount · lease* token
-- returns: microseconds, then for each lease 1 released, 0 gone, 2 somebody waits, 3 it lasted
-- include: time, owner
local buckets, name_from = tonumber(ARGV[1]), ARGV[2]
if #KEYS == 2 then
  local lock = KEYS[2]
  local value = call('MGET', lock)[1]
  if not value then return { us_text, 0 } end
  if not owns(value, ARGV[4]) then return { us_text, is_marked(value) and 2 or 0 } end
  if lasted(value, ARGV[4]) then return { us_text, 3 } end
  call('DEL', lock)
  call('ZREM', KEYS[1], string.sub(lock, name_from))
  return { us_text, 1 }
end
local locks = { unpack(KEYS, buckets + 1) }
local values = call('MGET', unpack(locks))
local answers, ended, seen, at = { us_text }, {}, {}, 0
for bucket = 1, buckets do
  local names = {}
  for _ = 1, ARGV[2 + bucket] do
    at = at + 1
    local value, lock = values[at], locks[at]
    if not value or seen[lock] then
      answers[at + 1] = 0
    elseif owns(value, ARGV[2 + buckets + at]) then
      seen[lock] = true
      if lasted(value, ARGV[2 + buckets + at]) then
        answers[at + 1] = 3
      else
        ended[#ended + 1] = lock
        names[#names + 1] = string.sub(lock, name_from)
        answers[at + 1] = 1
      end
    else
      answers[at + 1] = is_marked(value) and 2 or 0
    end
  end
  if names[1] then call('ZREM', KEYS[bucket], unpack(names)) end
end
if ended[1] then call('DEL', unpack(ended)) end
return answers
