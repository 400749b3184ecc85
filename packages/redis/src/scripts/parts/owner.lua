-- A held mutex is one string that Redis itself ends: lines of token, fence, time of the grant, and the tail (parts/queue.lua). While
-- somebody waits it is marked: one more line in front, '!' and when the lease ends, because then the key lives as long as the queue.
local function owns(value, token) return value and string.sub(value, 1, #token + 1) == token .. '\n' end
-- A lease that lasted this long, in microseconds, is worth a line in the history. Fence and time have 16 digits each until the year 2286.
local LONG = 50000
local function lasted(value, token) return us - (tonumber(string.sub(value, #token + 19, #token + 34)) or us) >= LONG end
local function is_marked(value) return string.byte(value, 1) == 33 and string.find(value, '^!%d+\n') ~= nil end
