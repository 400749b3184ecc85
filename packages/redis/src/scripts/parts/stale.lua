-- Whether a fence is below the one that was seen. Decimal texts without leading zeros, compared exactly whatever their length.
local function is_stale(fence, seen)
  if not seen then return false end
  if #fence ~= #seen then return #fence < #seen end
  return fence < seen
end
