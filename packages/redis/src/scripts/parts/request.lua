-- One request for a lease, from the nine arguments after a.
local function request_at(a)
  return with_wait({
    bucket = tonumber(ARGV[a + 1]),
    token = ARGV[a + 2],
    ttl = tonumber(ARGV[a + 3]),
    count = tonumber(ARGV[a + 4]),
    tail = ARGV[a + 5],
    share = ARGV[a + 7],
    weight = tonumber(ARGV[a + 8]),
    max = tonumber(ARGV[a + 9]),
  }, ARGV[a + 6])
end
