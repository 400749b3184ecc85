-- The same moment in whole milliseconds, as keys and leases end.
local now = math.floor(us / 1000)
