-- Sets the permits of a semaphore for good, and grants what fits now. The one key here without an end: it is a setting.
-- keys: bucket* index · lock* lock, queue, places, history, holders, max
-- args: bucketCount, nameFrom, channel, max
-- returns: 1
-- include: batch, time, now, mark, fence, index, history, queue, shared, shared-acquire
call('SET', KEYS[7], ARGV[HEAD + 1])
if shared_kind(1) == 'semaphore' then
  local name = string.sub(KEYS[2], NAME_FROM)
  shared_purge(1)
  shared_pump(1, 1, name, 'semaphore')
  shared_touch(1)
end
keep_fences()
return 1
