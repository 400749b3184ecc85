-- The first names of each bucket after a name, as far as they begin with a prefix.
-- keys: bucket* index
-- args: from, prefix, limit (from as ZRANGEBYLEX takes it)
-- returns: names, in order within their bucket
-- No byte of a name is 255: it stands behind every name that begins with the prefix, and in front of the mark of the fences.
local to = '(' .. ARGV[2] .. '\255'
local found = {}
for _, index in ipairs(KEYS) do
  for _, name in ipairs(redis.call('ZRANGEBYLEX', index, ARGV[1], to, 'LIMIT', 0, ARGV[3])) do
    found[#found + 1] = name
  end
end
return found
