-- What happened to a lock, newest first. Written while somebody waits, and for every break: a lock that nobody
-- waits for costs nothing more, and leaves no key behind.
-- key: KEYS[b + 4]
local HISTORY_LENGTH = 32
local HISTORY_LIFE = 604800000

local function note(b, kind, holder, fence, reason, by)
  call('LPUSH', KEYS[b + 4], cmsgpack.pack({ us_text, kind, holder, fence, reason or '', by or '' }))
  call('LTRIM', KEYS[b + 4], 0, HISTORY_LENGTH - 1)
  call('PEXPIRE', KEYS[b + 4], HISTORY_LIFE)
end
