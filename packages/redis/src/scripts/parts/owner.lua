-- A held mutex is one string that Redis itself ends: lines of token, fence, time of the grant, and the tail (parts/queue.lua). While
-- somebody waits it is marked: one more line in front, '!' and when the lease ends, because then the key lives as long as the queue.
local function owns(value, token) return value and string.sub(value, 1, #token + 1) == token .. '\n' end
local function is_marked(value) return string.byte(value, 1) == 33 and string.find(value, '^!%d+\n') ~= nil end
