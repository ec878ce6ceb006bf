
-- Frames of Heddle for Wireshark and tshark: in captures of `heddle capture` (link type 252), and on TCP port 7420.
--
--   wireshark -X lua_script:tools/heddle.lua session.pcap
--   tshark -X lua_script:tools/heddle.lua -r session.pcap -Y 'heddle.method == "TurnService/Start"'
--
-- Every field of the schema can be used in a filter as heddle.MESSAGE.FIELD, as in heddle.StartTurnRequest.thread.
-- Without bit operations: Wireshark has Lua 5.2 here, 5.3 and 5.4 elsewhere.

local heddle = Proto("heddle", "Heddle")

local kinds = {
  [1] = "REQUEST", [2] = "RESPONSE", [3] = "EVENT", [4] = "ERROR", [5] = "CANCEL", [6] = "CREDIT", [7] = "PING",
  [8] = "PONG", [9] = "GOAWAY", [10] = "HELLO",
  -- No peer sends it: in recordings it stands where frames are missing.
  [240] = "LOST",
}
local HEADER = 16
local MAGIC = 0xFA
local DEEPEST = 32

local f = {
  kind = ProtoField.uint8("heddle.kind", "Kind", base.DEC, kinds),
  method = ProtoField.string("heddle.method", "Method"),
  number = ProtoField.uint16("heddle.method_number", "Method number"),
  stream = ProtoField.uint32("heddle.stream", "Stream"),
  version = ProtoField.uint8("heddle.version", "Version"),
  metadata_length = ProtoField.uint16("heddle.metadata_length", "Metadata length"),
  flags = ProtoField.uint8("heddle.flags", "Flags", base.HEX),
  final = ProtoField.bool("heddle.flags.end_of_stream", "End of stream", 8, nil, 0x02),
  more = ProtoField.bool("heddle.flags.more_follows", "More of this message follows", 8, nil, 0x04),
  replayed = ProtoField.bool("heddle.flags.replayed", "Replayed event", 8, nil, 0x80),
  length = ProtoField.uint32("heddle.length", "Length"),
  since = ProtoField.double("heddle.time", "Seconds since request"),
  request = ProtoField.framenum("heddle.request_in", "Request in", base.NONE, frametype.REQUEST),
  unknown = ProtoField.bytes("heddle.unknown", "Unknown field"),
  lost_frames = ProtoField.uint64("heddle.lost_frames", "Missing frames"),
  lost_bytes = ProtoField.uint64("heddle.lost_bytes", "Missing bytes"),
}

local all = {}
for _, field in pairs(f) do all[#all + 1] = field end
for name, fields in pairs(messages) do
  for _, field in pairs(fields) do
    local abbreviation = "heddle." .. name .. "." .. field[1]
    local made
    if field[2] == "enum" then
      made = ProtoField.int32(abbreviation, field[1], base.DEC, enums[field[3]])
    elseif field[2] == "message" then
      made = ProtoField.none(abbreviation, field[1])
    else
      made = ProtoField[field[2]](abbreviation, field[1])
    end
    field.proto = made
    all[#all + 1] = made
  end
end
heddle.fields = all

local malformed = ProtoExpert.new("heddle.malformed", "Not a message of this kind", expert.group.MALFORMED,
  expert.severity.ERROR)
heddle.experts = { malformed }

-- A varint as two halves of 32 bits, and the place behind it; nil when it is not whole.
local function varint(tvb, at, stop)
  local low, high, shift = 0, 0, 0
  while at < stop and shift < 70 do
    local byte = tvb(at, 1):uint()
    at = at + 1
    local bits = byte % 128
    if shift < 28 then
      low = low + bits * 2 ^ shift
    elseif shift == 28 then
      low = low + (bits % 16) * 2 ^ 28
      high = math.floor(bits / 16)
    else
      high = high + bits * 2 ^ (shift - 32)
    end
    if byte < 128 then return low, high % 2 ^ 32, at end
    shift = shift + 7
  end
  return nil
end

local message

-- One varint as its field has it.
local function number(tree, field, range, low, high)
  low, high = math.floor(low), math.floor(high)
  if field[2] == "bool" then
    tree:add(field.proto, range, low ~= 0 or high ~= 0)
  elseif field[2] == "enum" then
    tree:add(field.proto, range, low >= 2 ^ 31 and low - 2 ^ 32 or low)
  elseif field[2] == "int64" then
    tree:add(field.proto, range, Int64.new(low, high))
  else
    tree:add(field.proto, range, UInt64.new(low, high))
  end
end

local function block(tvb, tree, field, from, at, count, depth)
  local range = tvb(from, at + count - from)
  if field[2] == "message" then
    local inner = tree:add(field.proto, range)
    return message(tvb, inner, messages[field[3]], at, at + count, depth + 1)
  elseif field[2] == "string" then
    tree:add(field.proto, range, count > 0 and tvb(at, count):string(ENC_UTF_8) or "")
  elseif field[2] == "guid" or field[2] == "bytes" then
    if count == 0 or (field[2] == "guid" and count ~= 16) then return true end
    tree:add(field.proto, tvb(at, count))
  else -- Numbers packed into one block.
    local stop = at + count
    while at < stop do
      local low, high, after = varint(tvb, at, stop)
      if not low then return false end
      number(tree, field, tvb(at, after - at), low, high)
      at = after
    end
  end
  return true
end

-- Adds the fields between two places; false when they are not such a message.
message = function(tvb, tree, fields, at, stop, depth)
  if depth > DEEPEST then return false end
  while at < stop do
    local from = at
    local tag, _, value = varint(tvb, at, stop)
    if not tag or tag < 8 then return false end
    local wire = tag % 8
    local field = fields[math.floor(tag / 8)]
    if wire == 0 then
      local low, high, after = varint(tvb, value, stop)
      if not low then return false end
      local range = tvb(from, after - from)
      if field then number(tree, field, range, low, high) else tree:add(f.unknown, range) end
      at = after
    elseif wire == 2 then
      local count, _, start = varint(tvb, value, stop)
      if not count or count > stop - start then return false end
      count = math.floor(count)
      if not field then
        tree:add(f.unknown, tvb(from, start + count - from))
      elseif not block(tvb, tree, field, from, start, count, depth) then
        return false
      end
      at = start + count
    elseif wire == 1 or wire == 5 then
      local count = wire == 1 and 8 or 4
      if stop - value < count then return false end
      if field then tree:add_le(field.proto, tvb(value, count)) else tree:add(f.unknown, tvb(from, count + 1)) end
      at = value + count
    else
      return false
    end
  end
  return true
end

-- When a stream was opened, and what each frame found out about it in the first pass.
local requests, found

function heddle.init()
  requests, found = {}, {}
end

local function sides(pinfo)
  return tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
end

-- The request that a frame belongs to: {method, time, frame}.
local function remember(pinfo, kind, method, stream, at)
  local key = pinfo.number .. " " .. at
  if pinfo.visited then return found[key] end
  local from, to = sides(pinfo)
  if kind == 1 then
    requests[from .. to .. stream] = { method = method, time = pinfo.abs_ts, frame = pinfo.number }
    return nil
  end
  local opened = requests[to .. from .. stream] or requests[from .. to .. stream]
  if opened and stream ~= 0 then
    found[key] = { method = opened.method, since = pinfo.abs_ts - opened.time, frame = opened.frame }
  end
  return found[key]
end

local function payload_of(kind, method)
  if kind == 1 then return method and method[2] end
  if kind == 2 then return method and method[3] end
  if kind == 3 then return "SubscriptionEvent" end
  if kind == 4 then return "Error" end
  if kind == 6 then return "Credit" end
  if kind == 7 then return "Ping" end
  if kind == 8 then return "Pong" end
  if kind == 9 then return "GoAway" end
  return nil
end

-- The first HELLO of a connection is the client's: it names a program, the server's a version.
local function hello_of(tvb, at, stop)
  if at < stop and tvb(at, 1):uint() == 0x08 then return "ServerHello" end
  return "ClientHello"
end

local function one(tvb, pinfo, root)
  if tvb:len() == 0 then
    pinfo.cols.info = "closed"
    return 0
  end
  if tvb:len() < HEADER or tvb(0, 1):uint() ~= MAGIC then
    root:add(heddle, tvb()):append_text(", goes on")
    pinfo.cols.info = "goes on"
    return tvb:len()
  end
  local kind, number, stream = tvb(1, 1):uint(), tvb(2, 2):uint(), tvb(4, 4):uint()
  local front, flags, length = tvb(9, 2):uint(), tvb(11, 1):uint(), tvb(12, 4):uint()
  local request = remember(pinfo, kind, number, stream, tvb:offset())
  if number == 0 and request then number = request.method end
  local method = methods[number]
  local name = kinds[kind] or ("kind " .. kind)
  local stop = math.min(tvb:len(), HEADER + length)
  local tree = root:add(heddle, tvb(0, stop))
  tree:append_text(", " .. name .. (method and (" " .. method[1]) or "") .. ", stream " .. stream)
  tree:add(f.kind, tvb(1, 1))
  if method then tree:add(f.method, tvb(2, 2), method[1]) end
  tree:add(f.number, tvb(2, 2))
  tree:add(f.stream, tvb(4, 4))
  tree:add(f.version, tvb(8, 1))
  tree:add(f.metadata_length, tvb(9, 2))
  local bits = tree:add(f.flags, tvb(11, 1))
  bits:add(f.final, tvb(11, 1))
  bits:add(f.more, tvb(11, 1))
  bits:add(f.replayed, tvb(11, 1))
  tree:add(f.length, tvb(12, 4))
  if request then
    tree:add(f.since, request.since):set_generated()
    tree:add(f.request, request.frame):set_generated()
  end
  local at = HEADER
  if front > 0 and at + front <= stop then
    local inner = tree:add(tvb(at, front), "Metadata")
    if not message(tvb, inner, messages.Metadata, at, at + front, 0) then inner:add_proto_expert_info(malformed) end
    at = at + front
  end
  if kind == 240 and stop == at + 16 then
    tree:add(f.lost_frames, tvb(at, 8))
    tree:add(f.lost_bytes, tvb(at + 8, 8))
  end
  local payload = kind == 10 and hello_of(tvb, at, stop) or payload_of(kind, method)
  if payload and at < stop then
    local inner = tree:add(tvb(at, stop - at), payload)
    -- A frame that goes on in the next records is shown as far as it is here.
    if not message(tvb, inner, messages[payload], at, stop, 0) and stop == HEADER + length then
      inner:add_proto_expert_info(malformed)
    end
  end
  local summary = name .. (method and (" " .. method[1]) or "") .. " #" .. stream
  pinfo.cols.info:append(" " .. summary)
  return stop
end

function heddle.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "Heddle"
  pinfo.cols.info = ""
  -- In TCP several frames share a segment, or one goes over several; in a capture each record is one frame.
  if pinfo.can_desegment > 0 then
    dissect_tcp_pdus(tvb, root, HEADER, function(buffer, _, offset) return HEADER + buffer(offset + 12, 4):uint() end,
      function(buffer) return one(buffer, pinfo, root) end)
    return tvb:len()
  end
  return one(tvb, pinfo, root)
end

DissectorTable.get("tcp.port"):add(7420, heddle)
