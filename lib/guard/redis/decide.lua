-- Decides about a pin, atomically for all instances that share the store. Replies with two numbers:
-- the verdict, and the milliseconds for which pins of the source are throttled.
--
-- The state is one text, `debtMs:lastMs:usedStep`, followed for each source by
-- ` name:debtMs:lastMs:knownUntilMs`. The clock is the store's, so instances with different clocks
-- agree; tests give the time as an argument.

local function budget(at)
  local attempts, refill, extra = string.match(ARGV[at], '^(%d+):(%d+):(%d+)$')
  return {attempts = tonumber(attempts), refill = tonumber(refill), extra = tonumber(extra)}
end
local whole, strangers, each = budget(1), budget(2), budget(3)
local counts = whole.attempts > 0
local singleUse, forgetUseMs, name = ARGV[4] == '1', tonumber(ARGV[5]), ARGV[6]
local matchedStep, now = tonumber(ARGV[7]), tonumber(ARGV[8])
local firstWaitMs, knownMs = tonumber(ARGV[9]), tonumber(ARGV[10])
local maxKnown, maxSources = tonumber(ARGV[11]), tonumber(ARGV[12])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local total, usedStep, sources = {owed = 0, last = 0}, -1, {}
local text = redis.pcall('GET', KEYS[1])
-- A key of the wrong type makes only that one secret unreadable; other errors are the store's.
if type(text) == 'table' and text.err and not string.find(text.err, 'WRONGTYPE', 1, true) then
  return redis.error_reply(text.err)
end
if text then
  local owed, last, used, rest
  if type(text) == 'string' then
    owed, last, used, rest = string.match(text, '^(%d+):(%d+):(-?%d+)(.*)$')
  end
  local pattern = ' ([%w_-]+):(%d+):(%d+):(%d+)'
  if not owed or string.gsub(rest, pattern, '') ~= '' then return {4, 0} end
  total, usedStep = {owed = tonumber(owed), last = tonumber(last)}, tonumber(used)
  for id, o, l, k in string.gmatch(rest, pattern) do
    local source = {id = id, owed = tonumber(o), last = tonumber(l), known = tonumber(k)}
    table.insert(sources, source)
  end
end

local function owed(spending)
  return math.max(0, spending.owed - math.max(0, now - spending.last))
end

local function limit(budget, spending)
  if owed(spending) == 0 then spending.owed, spending.last = 0, 0 end
  spending.owed = math.min(spending.owed, (budget.attempts + budget.extra) * budget.refill)
  spending.last = math.min(spending.last, now)
end

local function spend(budget, spending)
  spending.owed, spending.last = owed(spending) + budget.refill, now
end

local function refused(budget, spending)
  local beyond = math.ceil(spending.owed / budget.refill) - budget.attempts
  if beyond < 0 then return 0 end
  local doubled = math.min(firstWaitMs * 2 ^ beyond, budget.refill)
  local empty = (budget.attempts + budget.extra - 1) * budget.refill
  return math.max(0, spending.last + math.max(doubled, spending.owed - empty) - now)
end

if counts then
  limit(whole, total)
  for _, source in ipairs(sources) do
    limit(each, source)
    source.known = source.known > now and math.min(source.known, now + knownMs) or 0
  end
end

local own, isOneKnown
local others = {}
for _, source in ipairs(sources) do
  isOneKnown = isOneKnown or source.known > now
  if source.id == name then own = source else table.insert(others, source) end
end
if name ~= '' and not own then own = {id = name, owed = 0, last = 0, known = 0} end

local function left()
  if not counts then return 0 end
  local isStranger = isOneKnown and not (own and own.known > now)
  return math.max(refused(isStranger and strangers or whole, total), own and refused(each, own) or 0)
end

-- Makes the source of this pin the last, and drops one source beyond the limit.
local function keepOwn()
  table.insert(others, own)
  local oldest, known = nil, 0
  for _, source in ipairs(others) do
    if source.known > now then
      known = known + 1
      if not oldest or source.known < oldest.known then oldest = source end
    end
  end
  if known > maxKnown then oldest.known = 0 end
  sources = {}
  local soonest
  for _, source in ipairs(others) do
    if source.known > now or owed(source) > 0 then
      table.insert(sources, source)
      local isSooner = not soonest or source.owed + source.last < soonest.owed + soonest.last
      if source.known <= now and isSooner then soonest = source end
    end
  end
  if #sources <= maxSources then return end
  for i, source in ipairs(sources) do
    if source == soonest then return table.remove(sources, i) end
  end
end

-- Makes a full store evict this entry, without wrong pins or a used code, before all with some: as
-- one that was not used for a long time. Without the permission, the least recently used entry goes
-- first.
local function letGo(life)
  local dump = redis.pcall('DUMP', KEYS[1])
  if type(dump) ~= 'string' then return end
  local idle = string.format('%.0f', knownMs / 1000)
  redis.pcall('RESTORE', KEYS[1], life, dump, 'REPLACE', 'IDLETIME', idle)
end

local function answer(verdict, ms)
  local keep = owed(total)
  local isNeeded = keep > 0 or singleUse and usedStep >= 0
  if usedStep >= 0 then keep = math.max(keep, forgetUseMs) end
  local kept = {string.format('%.0f:%.0f:%.0f', total.owed, total.last, usedStep)}
  for _, source in ipairs(sources) do
    keep = math.max(keep, owed(source), source.known - now)
    isNeeded = isNeeded or owed(source) > 0
    local numbers = string.format(':%.0f:%.0f:%.0f', source.owed, source.last, source.known)
    table.insert(kept, source.id .. numbers)
  end
  local state = table.concat(kept, ' ')
  if keep <= 0 then
    if text then redis.call('DEL', KEYS[1]) end
  elseif state ~= text then
    local life = string.format('%.0f', keep)
    redis.call('SET', KEYS[1], state, 'PX', life)
    if not isNeeded and #sources > 0 then letGo(life) end
  end
  return {verdict, ms}
end

local before = left()
if before > 0 then return answer(2, before) end

if not matchedStep then
  if counts then
    spend(whole, total)
    if own then
      spend(each, own)
      keepOwn()
    end
  end
  return answer(1, left())
end

if singleUse and matchedStep <= usedStep then return answer(3, 0) end

if singleUse then usedStep = matchedStep end
if own and counts then
  own.known = now + knownMs
  keepOwn()
end
return answer(0, 0)
