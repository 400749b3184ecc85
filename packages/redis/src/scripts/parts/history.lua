-- What happened to a lock, newest first. Written while somebody waits, for every break, and for leases that lasted: a lock that is
-- taken and left at once costs nothing more, and leaves no key behind.
-- key: KEYS[b + 4]
local HISTORY_LENGTH = 32
local HISTORY_LIFE = 604800000
-- Of a lock that nobody waited for: names may be many.
local SHORT_HISTORY_LIFE = 3600000

local function note(b, kind, holder, fence, reason, by, life)
  call('LPUSH', KEYS[b + 4], cmsgpack.pack({ us_text, kind, holder, fence, reason or '', by or '' }))
  call('LTRIM', KEYS[b + 4], 0, HISTORY_LENGTH - 1)
  if not life or call('PTTL', KEYS[b + 4]) < life then call('PEXPIRE', KEYS[b + 4], life or HISTORY_LIFE) end
end
