-- Asks the holders of a lock to give it up.
-- keys: bucket* index · lock* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel, reason
-- returns: the holders that were told: those with an address; see parts/describe.lua
-- include: batch, time, now, mark, fence, index, history, queue, owner, mutex, shared, describe
local _, holders = described(1)
local told = {}
for _, held in ipairs(holders) do
  if held[9] ~= '' then
    tell(held[9], 'yield', held[1], held[5], string.sub(KEYS[2], NAME_FROM), ARGV[HEAD + 1])
    told[#told + 1] = held
  end
end
return told
