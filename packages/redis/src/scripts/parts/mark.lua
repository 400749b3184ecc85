-- The mark of a bucket's fences: a member of its index that no name can be, behind all of them in both orders. Its score is the last fence.
-- Whoever writes it with the first grant of an hour sets the life of the index anew: a week, longer than any lease.
local MARK = '\255'
local INDEX_LIFE = 604800000
local HOUR = 3600000000

-- Whole numbers above 2^31, also on servers whose %d ends there.
local function digits(number)
  if number == us then return us_text end
  local high = (number - number % 1000000) / 1000000
  return string.format('%d%06d', high, number % 1000000)
end
