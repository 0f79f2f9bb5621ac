-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark's dissector of mftpubsub's frames (docs/how-to/export.md): of what `mftpubsub export --out RUN.pcapng`
-- writes, link type USER0 with a header of ours, and of the Ethernet captures of ns-3's pcap helpers.
--
-- The formats are those of exports/pcapng.py, session/frame.h, session/sessions.cc (notices in heartbeats),
-- overlay/heartbeat.cc, protocols/tree/message-codec.cc, protocols/mesh/frames.cc, block-codec.cc and blocks.cc, and
-- protocols/handoff/radio-codec.cc.
-- All numbers are big endian.

local NOBODY = 0xffff
local AIR_VERSION = 2
local EVENT_PORT = 4000
-- EtherTypes of the families: hosts/protocol-numbers.h.
local TREE, ACKED, MESH, HANDOFF = 0x88b5, 0x88b6, 0xf5b5, 0xf5b6

local air = Proto("mftpubsub_air", "A frame on the air")
local frame = Proto("mftpubsub", "MFT-PubSub and its relatives")
local datagram = Proto("mftpubsub_datagram", "An event in a datagram")

local a = {
    kind = ProtoField.string("mftpubsub.air.kind", "Kind in the trace"),
    sender = ProtoField.uint16("mftpubsub.air.sender", "Sender"),
    to = ProtoField.uint16("mftpubsub.air.to", "To", base.DEC, {[NOBODY] = "everybody"}),
    bytes = ProtoField.uint16("mftpubsub.air.bytes", "Bytes on the air, headers of radio and MAC included"),
}
-- By outcome: replay.py's OUTCOMES.
local RECEIVED = ProtoField.uint16("mftpubsub.air.received", "Received by")
local OUTCOMES = {
    [0] = RECEIVED,
    [1] = RECEIVED,
    [2] = ProtoField.uint16("mftpubsub.air.bit_error", "Lost by bit errors at"),
    [3] = ProtoField.uint16("mftpubsub.air.interference", "Lost by interference at"),
    [4] = ProtoField.uint16("mftpubsub.air.not_receiving", "Lost, as it was not receiving, at"),
}
air.fields = {a.kind, a.sender, a.to, a.bytes, OUTCOMES[0], OUTCOMES[2], OUTCOMES[3], OUTCOMES[4]}

local f = {
    kind = ProtoField.string("mftpubsub.kind", "Kind"),
    source = ProtoField.uint16("mftpubsub.source", "From"),
    destination = ProtoField.uint16("mftpubsub.destination", "To", base.DEC, {[NOBODY] = "everybody"}),
    session = ProtoField.uint16("mftpubsub.session", "Session, of the sender"),
    receiver = ProtoField.uint16("mftpubsub.session.receiver", "Session, of the receiver"),
    sequence = ProtoField.uint8("mftpubsub.sequence", "Sequence number", base.DEC, nil, 0x7f),
    more = ProtoField.bool("mftpubsub.more", "The message goes on in the next frame", 8, nil, 0x80),
    continued = ProtoField.bool("mftpubsub.continued", "A message of a frame before goes on"),
    life = ProtoField.uint32("mftpubsub.life", "Life of the sender"),
    number = ProtoField.uint8("mftpubsub.number", "Number of the sender's frame"),
    event = ProtoField.string("mftpubsub.event", "Event that it carries"),
    named = ProtoField.string("mftpubsub.named", "Event that it names"),
    publisher = ProtoField.uint16("mftpubsub.event.publisher", "Publisher"),
    event_sequence = ProtoField.uint32("mftpubsub.event.sequence", "Sequence number of the event"),
    attribute = ProtoField.string("mftpubsub.event.attribute", "Attribute"),
    payload = ProtoField.uint16("mftpubsub.event.payload", "Payload, bytes"),
    hops = ProtoField.uint8("mftpubsub.hops", "Hops"),
    eighths = ProtoField.uint8("mftpubsub.eighths", "Eighths of a hop"),
    search = ProtoField.uint8("mftpubsub.search", "Searches for this subscriber, before", base.DEC, nil, 0x7F),
    companion = ProtoField.bool("mftpubsub.companion", "By one way with the subscriber before", 8, nil, 0x80),
    x = ProtoField.int16("mftpubsub.x", "x, m"),
    y = ProtoField.int16("mftpubsub.y", "y, m"),
    open = ProtoField.bool("mftpubsub.open", "For whoever is nearer, as nobody took it", 8, nil, 0x80),
    place_age = ProtoField.uint16("mftpubsub.place.age", "Heard there before, in hundredths of a second"),
    subscriber = ProtoField.uint16("mftpubsub.subscriber", "Subscriber"),
    timestamp = ProtoField.uint32("mftpubsub.timestamp", "Timestamp"),
    filter = ProtoField.string("mftpubsub.filter", "Filter"),
    filters = ProtoField.uint16("mftpubsub.filters", "Filters"),
    filter_set = ProtoField.uint8("mftpubsub.filter.set", "Set of filters, the first being 0"),
    least_age = ProtoField.uint32("mftpubsub.age.least", "Older than its set says by, ms"),
    previous = ProtoField.uint16("mftpubsub.previous", "Attached before to", base.DEC, {[NOBODY] = "nobody"}),
    last = ProtoField.uint32("mftpubsub.last", "Timestamp of the last event received"),
    children = ProtoField.uint16("mftpubsub.children", "Subscribers below the sender"),
    others = ProtoField.uint16("mftpubsub.others", "Other subscribers"),
    subscribers = ProtoField.uint16("mftpubsub.subscribers", "Subscribers"),
    origin = ProtoField.uint16("mftpubsub.origin", "Origin"),
    home = ProtoField.uint32("mftpubsub.home", "Timestamp at the home"),
    first = ProtoField.bool("mftpubsub.first", "First claim on this link"),
    link = ProtoField.string("mftpubsub.link", "Link"),
    ended = ProtoField.uint16("mftpubsub.ended", "Session ended with"),
    ended_number = ProtoField.uint16("mftpubsub.ended.number", "Its number, of the sender"),
    leader = ProtoField.uint16("mftpubsub.leader", "Leader"),
    priority = ProtoField.uint32("mftpubsub.priority", "Priority of the leader"),
    round = ProtoField.uint32("mftpubsub.round", "Round"),
    parent = ProtoField.uint16("mftpubsub.parent", "Parent", base.DEC, {[NOBODY] = "none"}),
    roles = ProtoField.uint8("mftpubsub.roles", "Roles (1 broker, 2 subscriber, 4 publisher)"),
    advertised = ProtoField.uint8("mftpubsub.advertised", "Told to others' policies"),
    words = ProtoField.uint32("mftpubsub.words", "Hash of the words", base.HEX),
    shift = ProtoField.uint8("mftpubsub.shift", "A hash for each 2^n subscribers, n"),
    age = ProtoField.uint32("mftpubsub.age", "Age, ms"),
    summary = ProtoField.string("mftpubsub.summary", "Summary"),
    range = ProtoField.string("mftpubsub.range", "Nodes"),
    seed = ProtoField.uint16("mftpubsub.sums.seed", "Seed of the factors"),
    sums = ProtoField.uint8("mftpubsub.sums", "Sums of these events"),
    blocks = ProtoField.string("mftpubsub.blocks", "Blocks of events, by maker"),
    checksum = ProtoField.uint32("mftpubsub.block.checksum", "Checksum of the block", base.HEX),
    old = ProtoField.uint16("mftpubsub.old", "Broker before", base.DEC, {[NOBODY] = "none"}),
    handoff = ProtoField.uint32("mftpubsub.handoff", "Session of the hand-off"),
    rest = ProtoField.bytes("mftpubsub.rest", "Not understood"),
    protocol = ProtoField.uint16("mftpubsub.protocol", "EtherType of the packet", base.HEX),
}
local fields = {}
for _, field in pairs(f) do
    fields[#fields + 1] = field
end
frame.fields = fields
local BROKEN = ProtoExpert.new("mftpubsub.broken", "The frame ends too early, or makes no sense",
                               expert.group.MALFORMED, expert.severity.ERROR)
frame.experts = {BROKEN}

-- A cursor over a buffer, and the tree below which it shows what it reads. Wireshark tells of too short a buffer.

local Cursor = {}
Cursor.__index = Cursor

local function cursor_at(buffer, at, tree)
    return setmetatable({buffer = buffer, at = at, tree = tree}, Cursor)
end

function Cursor:left()
    return self.buffer:len() - self.at
end

function Cursor:take(bytes)
    local range = self.buffer(self.at, bytes)
    self.at = self.at + bytes
    return range
end

-- Reads a number of 1, 2 or 4 bytes, and shows it if it has a field.
function Cursor:number(bytes, field)
    local range = self:take(bytes)
    if field then
        self.tree:add(field, range)
    end
    return range:uint()
end

function Cursor:text(field)
    local bytes = self:number(2)
    if bytes == 0 then
        return ""
    end
    local range = self:take(bytes)
    if field then
        self.tree:add_packet_field(field, range, ENC_UTF_8)
    end
    return range:string(ENC_UTF_8)
end

local function repeated(reader, bytes, field, read)
    for _ = 1, reader:number(bytes, field) do
        read(reader)
    end
end

-- Parts of messages.

local function read_id(reader, field)
    local range = reader.buffer(reader.at, 6)
    local publisher, sequence = range(0, 2):uint(), range(2, 4):uint()
    local id = publisher .. "." .. sequence
    local item = reader.tree:add(field, range, id)
    item:add(f.publisher, reader:take(2))
    item:add(f.event_sequence, reader:take(4))
    return id, item, publisher, sequence
end

local function named(reader)
    read_id(reader, f.named)
end

local VALUES = {
    [0] = function(reader) return tostring(reader:take(8):int64()) end,
    [1] = function(reader) return tostring(reader:take(8):float()) end,
    [2] = function(reader) return '"' .. reader:text() .. '"' end,
    [3] = function(reader) return tostring(reader:number(1) ~= 0) end,
}

local function read_attributes(reader)
    local attributes = {}
    for _ = 1, reader:number(1) do
        local start = reader.at
        local name = reader:text()
        local value = VALUES[reader:number(1)](reader)
        attributes[#attributes + 1] = {reader.buffer(start, reader.at - start), name .. " = " .. value}
    end
    return attributes
end

-- What an event has behind its id.
local function content(reader, item, attributes)
    for _, attribute in ipairs(attributes) do
        item:add(f.attribute, attribute[1], attribute[2])
    end
    item:add(f.payload, reader.buffer(reader.at, 2))
    local payload = reader:number(2)
    if payload > 0 then
        reader:take(payload)
    end
end

local function event(reader)
    local id, item = read_id(reader, f.event)
    reader.events[#reader.events + 1] = id
    content(reader, item, read_attributes(reader))
end

local function number(bytes, name)
    return function(reader) reader:number(bytes, f[name]) end
end

local function list(bytes, name, read)
    return function(reader) repeated(reader, bytes, f[name], read) end
end

local function sequence_of(...)
    local parts = {...}
    return function(reader)
        for _, read in ipairs(parts) do
            read(reader)
        end
    end
end

local function if_left(read)
    return function(reader)
        if reader:left() > 0 then
            read(reader)
        end
    end
end

local function link(name)
    return function(reader)
        local range = reader:take(6)
        local opener = range(0, 2):uint()
        local text = opener == NOBODY and "none" or opener .. ", number " .. range(2, 4):uint()
        reader.tree:add(f.link, range, text):prepend_text(name .. ": ")
    end
end

local subscriber, timestamp, hops = number(2, "subscriber"), number(4, "timestamp"), number(1, "hops")
local freshness = sequence_of(timestamp, hops)
local word = sequence_of(subscriber, freshness)
local function filter(reader) reader:text(f.filter) end
local filters = list(2, "filters", filter)
local events16 = list(2, nil, event)

-- By kind: its name, and how its body is read.
local MESSAGES = {
    [0] = {"ATTACH", sequence_of()},
    {"SUB", sequence_of(subscriber, filter, freshness)},
    {"UNS", sequence_of(subscriber, filter, freshness)},
    {"PUB", sequence_of(event, hops, if_left(timestamp), if_left(list(2, "subscribers", subscriber)))},
    {"MIG", sequence_of(subscriber, number(2, "previous"), freshness, if_left(number(4, "last")))},
    {"REP", sequence_of(subscriber, events16, hops, if_left(timestamp))},
    {"FILTERS", filters},
    {"BMIG", sequence_of(list(2, "children", word), list(2, "others", word), hops)},
    {"BQUERY", word},
    {"BSUB", sequence_of(subscriber, filters, freshness, hops)},
    {"BMIG", sequence_of(list(2, "subscribers", subscriber), number(2, "origin"))},
    {"BTAB", list(2, "subscribers", sequence_of(subscriber, filters))},
    {"FMIG", sequence_of()},
    {"BMIG", sequence_of(list(2, "children", word), list(2, "others", word))},
    {"BMIG", list(2, "children", word)},
    {"YIELD", sequence_of()},
    {"BSUB", sequence_of(subscriber, filters, freshness, number(4, "home"), number(1, "first"))},
    {"LINK", sequence_of(link("opened"), link("instead of"))},
    {"FLUSH", link("instead of")},
}

local ended = list(1, nil, sequence_of(number(2, "ended"), number(2, "ended_number")))
local heartbeat = sequence_of(ended, number(2, "leader"), number(4, "priority"), number(4, "round"), hops,
                              number(2, "parent"), number(1, "roles"), if_left(number(1, "advertised")))
local SESSION_KINDS = {
    [252] = {"ASK", sequence_of()},
    [253] = {"CLOSED", sequence_of()},
    [254] = {"HEARTBEAT", heartbeat},
    [255] = {"ACK", sequence_of()},
}

local HANDOFF_MESSAGES = {
    [0] = {"RECONNECT", sequence_of(subscriber, number(2, "old"), number(4, "handoff"), list(2, nil, named),
                                    filters)},
    {"EVACK", sequence_of(subscriber, named)},
    {"PUB", event},
    {"PING", sequence_of()},
}

-- The mesh family.

local function varint(reader)
    local value, shift, byte = 0, 1, nil
    repeat
        byte = reader:number(1)
        value = value + byte % 128 * shift
        shift = shift * 128
    until byte < 128
    return value
end

local function runs(reader, stop, of_run)
    local at, found = 0, {}
    while reader.at < stop do
        local first = at + varint(reader)
        at = first + varint(reader)
        of_run(first, at - 1)
        found[#found + 1] = at > first + 1 and first .. "-" .. at - 1 or tostring(first)
    end
    return table.concat(found, ",")
end

local IS_A_PART = 128

local function summary_of(reader, of_run)
    local start, texts = reader.at, {}
    local count = reader:number(1)
    if count >= IS_A_PART then
        texts[1] = string.format("(from %d.%d to before %d.%d)", reader:number(2), reader:number(4),
                                 reader:number(2), reader:number(4))
    end
    for _ = 1, count % IS_A_PART do
        local publisher, bytes = reader:number(2), varint(reader)
        local of_its_run = function(first, last) of_run(publisher, first, last) end
        texts[#texts + 1] = publisher .. ":" .. runs(reader, reader.at + bytes, of_its_run)
    end
    local text = #texts == 0 and "-" or table.concat(texts, " ")
    reader.tree:add(f.summary, reader.buffer(start, reader.at - start), text)
end

local function summary(reader)
    summary_of(reader, function() end)
end

local function mixed(reader)
    summary_of(reader, function(publisher, first, last)
        for sequence = first, last do
            reader.tree:add(f.event, publisher .. "." .. sequence)
        end
    end)
end

local function sums(reader)
    local count = reader:number(1, f.sums)
    reader:take(reader:number(2) * count)
end

-- Events of a block: each tells the place of the one whose attributes it has, its own if they follow.
local IS_NEXT = 128
local MOST_EVENTS = 128

local function id_in_block(reader, is_next, publisher, sequence)
    if not is_next then
        return read_id(reader, f.event)
    end
    sequence = (sequence + 1) % 0x100000000
    local id = publisher .. "." .. sequence
    local item = reader.tree:add(f.event, reader.buffer(reader.at - 1, 1), id)
    item:add(f.publisher, publisher):set_generated()
    item:add(f.event_sequence, sequence):set_generated()
    return id, item, publisher, sequence
end

local function events_of_block(reader)
    local known = {}
    local id, item, publisher, sequence
    while reader:left() > 0 do
        local byte = reader:number(1)
        local like, is_next = byte % IS_NEXT, byte >= IS_NEXT
        if like > #known or is_next and #known == 0 or #known == MOST_EVENTS then
            error("no event of a block")
        end
        id, item, publisher, sequence = id_in_block(reader, is_next, publisher, sequence)
        reader.events[#reader.events + 1] = id
        known[#known + 1] = known[like + 1] or read_attributes(reader)
        content(reader, item, known[#known])
    end
end

local function block(reader)
    reader:number(4, f.checksum)
    local bytes = reader:number(2)
    if bytes > 0 then
        local body = cursor_at(reader:take(bytes):tvb(), 0, reader.tree)
        body.events = reader.events
        events_of_block(body)
    end
end

local function run_of_blocks(reader)
    local range = reader:take(5)
    local first, count = range(2, 2):uint(), range(4, 1):uint()
    local last = count > 1 and "-" .. (first + count - 1) % 65536 or ""
    if count > 0 then
        reader.tree:add(f.blocks, range, range(0, 2):uint() .. ":" .. first .. last)
    end
    reader.blocks = reader.blocks + count
end

local function sum_of_blocks(reader)
    reader.blocks = 0
    repeated(reader, 1, nil, run_of_blocks)
    reader.says = string.format("a sum of %d block%s", reader.blocks, reader.blocks == 1 and "" or "s")
    local factors = reader.blocks > 0 and reader:take(math.ceil(reader.blocks / 2))
    -- A block times 1 is the block, maybe with zeros behind it.
    if reader.blocks == 1 and math.floor(factors:uint() / 16) == 1 then
        block(reader)
    end
    reader.at = reader.buffer:len()
end

-- Reads what may be cut off, or nonsense.
local function checked(read)
    return function(reader)
        if not pcall(read, reader) then
            reader.tree:add_proto_expert_info(BROKEN)
        end
    end
end

local hints = list(1, nil, sequence_of(subscriber, number(1, "eighths")))
local open_event = sequence_of(named, list(1, nil, subscriber))
local state = sequence_of(number(1, "roles"), number(4, "words"), summary, summary, list(1, nil, named),
                          list(1, nil, open_event), hints)

local HAS_ELSEWHERE = 128
local function search(reader)
    reader.tree:add(f.companion, reader.buffer(reader.at, 1))
    reader:number(1, f.search)
end

local claim = sequence_of(subscriber, number(1, "eighths"), search)
local elsewhere = list(1, nil, claim)

local function path(reader)
    local count = reader:number(1)
    for _ = 1, count % HAS_ELSEWHERE do
        claim(reader)
    end
    if count > 0 then
        reader:number(4, f.words)
    end
    if count >= HAS_ELSEWHERE then
        elsewhere(reader)
    end
end

local carried = sequence_of(event, hops, path)

local filter_sets = list(1, nil, list(1, nil, sequence_of(filter, number(4, "age"))))

local function counted(name, behind)
    return function(reader)
        local start, value = reader.at, varint(reader)
        reader.id = behind and (reader.id + value) % 65536 or reader.id
        reader.tree:add(f[name], reader.buffer(start, reader.at - start), behind and reader.id or value)
    end
end

local function ids_from_zero(reader) reader.id = 0 end
local stamp = sequence_of(counted("subscriber", true), counted("timestamp"))
local word_of_set = sequence_of(stamp, number(1, "filter_set"), counted("least_age"))
local carried_events = list(1, nil, carried)
local relayed = sequence_of(event, hops)

local function optional(flag, read)
    return function(reader)
        if math.floor(reader.flags / flag) % 2 == 1 then
            read(reader)
        end
    end
end

local function flags(reader) reader.flags = reader:number(1) end

local function node_range(reader)
    local range = reader:take(4)
    reader.id = range(0, 2):uint()
    reader.tree:add(f.range, range, reader.id .. " to " .. range(2, 2):uint())
end

local MESH_MESSAGES = {
    [64] = {"HEARTBEAT", state},
    [65] = {"PUB", sequence_of(flags, optional(1, state), hints, carried_events)},
    [66] = {"REP", sequence_of(flags, optional(1, state),
                               optional(2, sequence_of(timestamp, summary)), carried_events)},
    [67] = {"NACK", sequence_of(timestamp, number(4, "age"), summary)},
    [68] = {"SUB", sequence_of(ids_from_zero, filter_sets, list(1, nil, word_of_set))},
    [69] = {"BSUB", sequence_of(number(4, "words"), node_range, list(1, nil, stamp))},
    [70] = {"HELLO", sequence_of(timestamp, summary)},
    [71] = {"BSUB", sequence_of(number(4, "words"), number(1, "shift"), list(1, nil, number(4, "words")))},
    [72] = {"DATA", relayed},
    [73] = {"CONTROL", summary},
    [74] = {"SUMMARY", summary},
    [75] = {"REQUEST", summary},
    [76] = {"DATA", list(1, nil, relayed)},
    [77] = {"PUB", sequence_of(flags, optional(1, state), hops, number(2, "seed"), mixed, sums)},
    [78] = {"TAKEN", list(1, nil, sequence_of(named, path))},
    [79] = {"PUB", checked(sequence_of(flags, optional(1, state), hops, sum_of_blocks))},
}

local function spot(reader)
    reader:number(2, f.x)
    reader:number(2, f.y)
end

-- Behind the body, of devices that know where they are: here, and where subscribers were.
local function whereabouts(reader)
    spot(reader)
    for _ = 1, reader:number(1, f.open) % 128 do
        reader:number(2, f.subscriber)
        spot(reader)
        reader:number(2, f.place_age)
    end
end

-- Frames.

-- By the sender's session and sequence number, while the capture is read first: whether that frame's message goes on.
local goes_on = {}
-- By the number in the capture: whether a frame begins in the middle of a message.
local is_continued = {}

function frame.init()
    goes_on, is_continued = {}, {}
end

local function note_parts(pinfo, session, sequence, more)
    if not pinfo.visited then
        is_continued[pinfo.number] = goes_on[session .. "/" .. (sequence + 127) % 128] or false
        goes_on[session .. "/" .. sequence] = more
    end
    return is_continued[pinfo.number]
end

local function call_ethertype(ethertype, buffer, pinfo, tree)
    DissectorTable.get("ethertype"):try(ethertype, buffer, pinfo, tree)
end

-- A packet of IP, behind its EtherType.
local function packet(reader, pinfo, root)
    local ethertype = reader:number(2, f.protocol)
    call_ethertype(ethertype, reader.buffer(reader.at):tvb(), pinfo, root)
end

local function describe(ethertype, kind)
    if ethertype == MESH then
        return MESH_MESSAGES[kind % 128]
    elseif SESSION_KINDS[kind] then
        return SESSION_KINDS[kind]
    elseif ethertype == ACKED then
        return {"packet"}
    end
    return (ethertype == HANDOFF and HANDOFF_MESSAGES or MESSAGES)[kind]
end

local function read_session_header(reader, pinfo, kind)
    local way = reader.buffer(0, 4):uint() .. "/" .. reader.buffer(5, 2):uint() -- the receiver's is 0 at first
    reader:number(2, f.session)
    reader:number(2, f.receiver)
    reader.tree:add(f.sequence, reader.buffer(reader.at, 1))
    local byte = reader:number(1, f.more)
    local more, sequence = byte >= 128, byte % 128
    if kind >= 253 then
        return sequence, false
    end
    local continued = note_parts(pinfo, way, sequence, more)
    if continued then
        reader.tree:add(f.continued, true):set_generated()
    end
    return sequence, more or continued
end

local function read_mesh_header(reader)
    reader:number(4, f.life)
    return reader:number(1, f.number), false
end

local function tell(pinfo, name, reader, sequence)
    local to = reader.buffer(2, 2):uint()
    pinfo.cols.protocol = "MFT-PubSub"
    pinfo.cols.src = tostring(reader.buffer(0, 2):uint())
    pinfo.cols.dst = to == NOBODY and "everybody" or tostring(to)
    local says = #reader.events > 0 and table.concat(reader.events, " ") or reader.says
    pinfo.cols.info = string.format("%s%s, number %d", name, says and " " .. says or "", sequence)
end

function frame.dissector(buffer, pinfo, root)
    local ethertype = pinfo.match_uint
    local kind = buffer(4, 1):uint()
    local described = describe(ethertype, kind) or {"kind " .. kind}
    local name, read = described[1], described[2]
    local tree = root:add(frame, buffer())
    tree:append_text(", " .. name)
    local reader = cursor_at(buffer, 0, tree)
    reader.events = {}
    reader:number(2, f.source)
    reader:number(2, f.destination)
    tree:add(f.kind, buffer(4, 1), name)
    reader:take(1)
    local header = ethertype == MESH and read_mesh_header or read_session_header
    local sequence, is_part = header(reader, pinfo, kind)
    if is_part then
        name = name .. ", a part"
    elseif read then
        read(reader)
        if ethertype == MESH and kind >= 128 then
            whereabouts(reader)
        end
        if reader:left() > 0 then
            tree:add(f.rest, buffer(reader.at))
        end
    end
    tell(pinfo, name, reader, sequence)
    if described[1] == "packet" and not is_part then
        packet(reader, pinfo, root)
    end
    return buffer:len()
end

function datagram.dissector(buffer, pinfo, root)
    if buffer:len() < 6 then
        return 0
    end
    local reader = cursor_at(buffer, 0, root:add(datagram, buffer()))
    local id = read_id(reader, f.event)
    pinfo.cols.protocol = "MFT-PubSub"
    pinfo.cols.info = "event " .. id
    return buffer:len()
end

function air.dissector(buffer, pinfo, root)
    if buffer(0, 1):uint() ~= AIR_VERSION then
        return 0
    end
    local tree = root:add(air, buffer())
    local reader = cursor_at(buffer, 3, tree)
    local sender = reader:number(2, a.sender)
    local to = reader:number(2, a.to)
    reader:number(2, a.bytes)
    reader:text(a.kind)
    for _ = 1, reader:number(2) do
        local node = reader:take(2)
        tree:add(OUTCOMES[reader:number(1)], node)
    end
    tree:set_len(reader.at)
    pinfo.cols.src = tostring(sender)
    pinfo.cols.dst = to == NOBODY and "everybody" or tostring(to)
    call_ethertype(buffer(1, 2):uint(), buffer(reader.at):tvb(), pinfo, root)
    return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, air)
DissectorTable.get("udp.port"):add(EVENT_PORT, datagram)
for _, ethertype in ipairs({TREE, ACKED, MESH, HANDOFF}) do
    DissectorTable.get("ethertype"):add(ethertype, frame)
end
