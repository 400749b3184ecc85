-- The server's clock, read once: every decision of one call is made at one moment.
local call = redis.call
local clock = call('TIME')
local us_text = clock[1] .. string.sub('00000' .. clock[2], -6)
local us = clock[1] * 1000000 + clock[2]
