-- Refills the budgets of a secret and its sources. The used code and the known sources stay; without
-- either, the key is deleted. Replies 1, or 0 without a state of the secret. The clock is the store's;
-- tests give the time as an argument.

local text = redis.pcall('GET', KEYS[1])
-- A key of the wrong type makes only that one secret unreadable; other errors are the store's.
if type(text) == 'table' and text.err and not string.find(text.err, 'WRONGTYPE', 1, true) then
  return redis.error_reply(text.err)
end
if type(text) ~= 'string' then return 0 end
local used, rest = string.match(text, '^%d+:%d+:(-?%d+)(.*)$')
if not used then return 0 end
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
rest = string.gsub(rest, ' ([%w_-]+):%d+:%d+:(%d+)', function (id, known)
  return tonumber(known) > now and ' ' .. id .. ':0:0:' .. known or ''
end)
if used == '-1' and rest == '' then
  redis.call('DEL', KEYS[1])
  return 1
end
redis.call('SET', KEYS[1], '0:0:' .. used .. rest, 'PX', math.max(1, redis.call('PTTL', KEYS[1])))
return 1
