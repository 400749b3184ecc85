-- The first arguments of every call on locks, and where things are: KEYS begins with the index of each bucket, then the keys of
-- each lease follow; b is the place before those of one lease, bucket the number of its bucket in this call, from 1.
local BUCKETS = tonumber(ARGV[1])
local NAME_FROM = tonumber(ARGV[2])
local CHANNEL = ARGV[3]
local HEAD = 3
