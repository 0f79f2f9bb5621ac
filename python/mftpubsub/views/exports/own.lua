-- SPDX-License-Identifier: GPL-2.0-only
--
-- Shows the messages of a protocol of one's own, by the layouts of its classes (above, if the protocol is known).
-- A frame of stations is kind (1 B), source, to (2 B each), then the message (mftpubsub/protocols/wire.py). One of
-- brokers is a session's (session/frame.h), whose kind tells those that ship from the protocol's own.

local SIZES = {u8 = 1, u16 = 2, u32 = 4, u64 = 8, i32 = 4, i64 = 8, f64 = 8, bool = 1, Node = 2, EventId = 6}
local READ = {
    u64 = function(range) return tostring(range:uint64()) end,
    i32 = function(range) return tostring(range:int()) end,
    i64 = function(range) return tostring(range:int64()) end,
    f64 = function(range) return tostring(range:float()) end,
    bool = function(range) return tostring(range:uint() ~= 0) end,
    EventId = function(range) return range(0, 2):uint() .. "." .. range(2, 4):uint() end,
}
local VALUE_BYTES = {[0] = 8, [1] = 8, [3] = 1}
local read

local function event_end(buffer, at)
    local left = buffer(at + 6, 1):uint()
    at = at + 7
    for _ = 1, left do
        at = at + 2 + buffer(at, 2):uint()
        local kind = buffer(at, 1):uint()
        at = at + 1 + (VALUE_BYTES[kind] or 2 + buffer(at + 1, 2):uint())
    end
    return at + 2 + buffer(at, 2):uint()
end

local function elements(buffer, at, element, count)
    local texts = {}
    while count > #texts do
        texts[#texts + 1], at = read(buffer, at, element)
    end
    return "[" .. table.concat(texts, ", ") .. "]", at
end

-- The types between the commas of a tuple's.
local function parts(inner)
    local found, depth = {""}, 0
    for letter in inner:gmatch(".") do
        depth = depth + (letter == "[" and 1 or letter == "]" and -1 or 0)
        if letter == "," and depth == 0 then
            found[#found + 1] = ""
        elseif letter ~= " " or found[#found] ~= "" then
            found[#found] = found[#found] .. letter
        end
    end
    return found
end

-- The value of a type at a place, as text, and where it ends; nothing for a type that is not known here.
read = function(buffer, at, kind, is_last)
    local left = buffer:len() - at
    local some = kind:match("^(.+) | None$")
    local outer, element = kind:match("^(%a+)%[(.+)%]$")
    if SIZES[kind] then
        local range = buffer(at, SIZES[kind])
        return (READ[kind] or function(each) return tostring(each:uint()) end)(range), at + SIZES[kind]
    elseif kind == "Event" then
        return READ.EventId(buffer(at, 6)), event_end(buffer, at)
    elseif kind == "str" or kind == "Filter" then
        local bytes = buffer(at, 2):uint()
        return bytes == 0 and "" or buffer(at + 2, bytes):string(ENC_UTF_8), at + 2 + bytes
    elseif kind == "bytes" then
        local start = is_last and at or at + 2
        local bytes = is_last and left or buffer(at, 2):uint()
        return bytes == 0 and "" or tostring(buffer(start, bytes):bytes()), start + bytes
    elseif some then
        if buffer(at, 1):uint() == 0 then
            return "None", at + 1
        end
        return read(buffer, at + 1, some)
    elseif NESTED[kind] then
        local texts, text = {}
        for _, field in ipairs(NESTED[kind]) do
            text, at = read(buffer, at, field[2])
            texts[#texts + 1] = field[1] .. "=" .. tostring(text)
        end
        return kind .. "(" .. table.concat(texts, ", ") .. ")", at
    elseif outer == "tuple" then
        local texts = {}
        for _, part in ipairs(parts(element)) do
            texts[#texts + 1], at = read(buffer, at, part)
        end
        return "(" .. table.concat(texts, ", ") .. ")", at
    elseif element and is_last and SIZES[element] then
        return elements(buffer, at, element, left / SIZES[element])
    elseif element then
        return elements(buffer, at + 1, element, buffer(at, 1):uint())
    end
end

local own = Proto("mftpubsub_own", "A protocol of one's own")
local fields = {
    kind = ProtoField.string("mftpubsub.kind", "Kind"),
    source = ProtoField.uint16("mftpubsub.source", "From"),
    to = ProtoField.uint16("mftpubsub.destination", "To", base.DEC, {[0xffff] = "everybody"}),
    rest = ProtoField.bytes("mftpubsub.rest", "Not understood"),
}
-- How a filter names a field: of the letters of names in Python, Wireshark takes those of ASCII.
local function filter_name(name)
    return "mftpubsub.own." .. name:gsub("[\128-\255]", function(byte) return ("-%02x"):format(byte:byte()) end)
end

local all, by_name = {fields.kind, fields.source, fields.to, fields.rest}, {}
for _, message in pairs(MESSAGES) do
    for _, field in ipairs(message.fields) do
        if not by_name[field[1]] then
            by_name[field[1]] = ProtoField.string(filter_name(field[1]), field[1])
            all[#all + 1] = by_name[field[1]]
        end
    end
end
own.fields = all

-- Shows a message's fields from a place on, and what is left.
local function show_fields(buffer, pinfo, tree, message, at)
    local texts = {}
    for place, field in ipairs(message.fields) do
        local text, stop = read(buffer, at, field[2], place == #message.fields)
        if not text then
            break
        end
        local shown = stop > at and buffer(at, stop - at) or buffer(at)
        tree:add(by_name[field[1]], shown, text)
        texts[#texts + 1] = field[1] .. " = " .. text
        at = stop
    end
    if at < buffer:len() then
        tree:add(fields.rest, buffer(at))
    end
    pinfo.cols.protocol = PROTOCOL
    pinfo.cols.info = message.name .. " " .. table.concat(texts, ", ")
end

local function show_ends(buffer, pinfo, tree, source_at, to_at)
    local to = buffer(to_at, 2):uint()
    tree:add(fields.source, buffer(source_at, 2))
    tree:add(fields.to, buffer(to_at, 2))
    pinfo.cols.src = tostring(buffer(source_at, 2):uint())
    pinfo.cols.dst = to == 0xffff and "everybody" or tostring(to)
end

function own.dissector(buffer, pinfo, root)
    local kind = buffer(0, 1):uint()
    local message = MESSAGES[kind] or {name = "kind " .. kind, fields = {}}
    local tree = root:add(own, buffer())
    tree:append_text(", " .. message.name)
    tree:add(fields.kind, buffer(0, 1), message.name)
    show_ends(buffer, pinfo, tree, 1, 3)
    show_fields(buffer, pinfo, tree, message, 5)
    return buffer:len()
end

local SESSION_BYTES, FIRST_KIND, ASK = 10, 19, 252
local ethertypes = DissectorTable.get("ethertype")
local shipped = BROKERS and ethertypes:get_dissector(0x88b5)
local brokers = Proto("mftpubsub_own_brokers", "Brokers of a protocol of one's own")

-- Of frames whose message goes on, by sender's session and sequence number: what they carry, and the
-- receiver's session (0: not known yet). By the number in the capture, messages of several frames that end there.
local parts, wholes = {}, {}

function brokers.init()
    parts, wholes = {}, {}
end

local function gather(buffer, number)
    local session = buffer(0, 4):uint() .. "/" .. buffer(5, 2):uint() .. "/"
    local receiver = buffer(7, 2):uint()
    local sequence, goes_on = buffer(9, 1):uint() % 128, buffer(9, 1):uint() >= 128
    local body = buffer:len() > SESSION_BYTES and buffer(SESSION_BYTES):bytes() or ByteArray.new()
    parts[session .. sequence] = goes_on and {body = body, receiver = receiver} or nil
    for back = 1, goes_on and 0 or 127 do
        local part = parts[session .. (sequence + 128 - back) % 128]
        if not part or part.receiver ~= receiver and part.receiver ~= 0 then
            return
        end
        body = part.body .. body
        wholes[number] = body
    end
end

function brokers.dissector(buffer, pinfo, root)
    local kind, goes_on = buffer(4, 1):uint(), buffer(9, 1):uint() >= 128
    local message = MESSAGES[math.floor((kind - FIRST_KIND) / 2)]
    if kind < ASK and not pinfo.visited then
        gather(buffer, pinfo.number)
    end
    if kind < FIRST_KIND or kind >= ASK or not message then
        return shipped:call(buffer, pinfo, root)
    end
    local tree = root:add(own, buffer())
    tree:append_text(", " .. message.name)
    tree:add(fields.kind, buffer(4, 1), message.name)
    show_ends(buffer, pinfo, tree, 0, 2)
    if goes_on then
        pinfo.cols.protocol = PROTOCOL
        pinfo.cols.info = message.name .. ", goes on in the next frame"
    elseif wholes[pinfo.number] then
        show_fields(wholes[pinfo.number]:tvb("Message of several frames"), pinfo, tree, message, 0)
    else
        show_fields(buffer, pinfo, tree, message, SESSION_BYTES)
    end
    return buffer:len()
end

if BROKERS then
    ethertypes:add(0x88b5, brokers)
else
    ethertypes:add(0xf5b7, own)
end
