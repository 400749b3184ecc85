-- Ends every lease of a lock, tells the holders, raises the fence, writes it down, and hands the lock to the next who wait.
-- keys: bucket* index · lock* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel, reason, by
-- returns: the holders that were ended; see parts/describe.lua
-- include: batch, time, now, mark, fence, index, history, queue, owner, mutex, shared, describe
local b, name = 1, string.sub(KEYS[2], NAME_FROM)
local kind, holders = described(b)
if not holders[1] then return holders end
local left
for _, held in ipairs(holders) do
  left = held[2]
  note(b, 'broken', held[8], held[5], ARGV[HEAD + 1], ARGV[HEAD + 2])
  tell(held[9], 'revoked', held[1], held[5], name, ARGV[HEAD + 1])
end
take_fence(1, 1)
if kind == 'mutex' then
  call('DEL', KEYS[b + 1])
  mutex_pump(b, 1, name)
else
  for _, held in ipairs(holders) do shared_drop(b, held[1], holder_of(b, held[1])) end
  shared_pump(b, 1, name, kind, left)
  shared_touch(b)
end
if call('EXISTS', KEYS[b + 1], KEYS[b + 2]) == 0 then index_drop(1, name) end
keep_fences()
return holders
