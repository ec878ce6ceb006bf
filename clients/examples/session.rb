# A session in Ruby: starts a thread, runs a turn, prints the model's words. ruby -I MADE session.rb [HOST:PORT [TEXT]]
# MADE is the folder of `protoc -I proto --ruby_out MADE proto/heddle/v1/*.proto`.
require "socket"
%w[frame thread turn event].each { |name| require "heddle/v1/#{name}_pb" }
include Heddle::V1::FrameKind
V1 = Heddle::V1

class Connection
  def initialize(host, port) = @socket = TCPSocket.new(host, port)

  def send(kind, method, stream, message)
    bytes = message.class.encode(message)
    @socket.write([0xFA, kind, method, stream, 1, 0, 0, bytes.bytesize].pack("CCnNCnCN") + bytes)
  end

  def frames # each frame as its kind, its stream and its message
    while (header = @socket.read(16))
      _, kind, _, stream, _, metadata, _, length = header.unpack("CCnNCnCN")
      yield kind, stream, @socket.read(length)[metadata..]
    end
  end
end

host, port = (ARGV[0] || "127.0.0.1:7420").split(":")
server = Connection.new(host, port.to_i)
server.send(FRAME_KIND_HELLO, 0, 0, V1::ClientHello.new(client_name: "session.rb"))
server.send(FRAME_KIND_REQUEST, V1::Method::METHOD_THREAD_START, 1, V1::StartThreadRequest.new(name: "Ruby"))
server.frames do |kind, stream, bytes|
  abort V1::Error.decode(bytes).message if kind == FRAME_KIND_ERROR
  if [kind, stream] == [FRAME_KIND_RESPONSE, 1]
    input = V1::TurnInput.new(content: [V1::ContentPart.new(text: ARGV[1] || "Hello")])
    thread = V1::StartThreadResponse.decode(bytes).thread.id
    server.send(FRAME_KIND_REQUEST, V1::Method::METHOD_TURN_START, 3, V1::StartTurnRequest.new(thread: thread, input: input))
  elsif [kind, stream] == [FRAME_KIND_EVENT, 1] # the events of a thread follow the answer to Start
    message = V1::SubscriptionEvent.decode(bytes)
    print message.delta.text if message.delta
    break if message.event&.turn_ended
  end
end
