-- Counts the other guard keys of the servers that used the store of late, and registers the own one if
-- asked to. The value has `id:lastMs ` for each key. Replies with the count.

local own, forgetMs, registers = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local text = redis.pcall('GET', KEYS[1])
local kept = {}
for id, last in string.gmatch(type(text) == 'string' and text or '', '([%w_-]+):(%d+) ') do
  if id ~= own and now - last < forgetMs and #kept < 8 then
    table.insert(kept, id .. ':' .. last .. ' ')
  end
end
local others = #kept
if registers then
  table.insert(kept, own .. ':' .. string.format('%.0f', now) .. ' ')
  redis.call('SET', KEYS[1], table.concat(kept), 'PX', ARGV[2])
end
return others
