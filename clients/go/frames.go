package heddle

import (
	"bufio"
	"encoding/binary"
	"io"

	"google.golang.org/protobuf/proto"
)

// Frames: a head of 16 bytes, optional metadata, a message (docs/protocol.md).
const (
	kindRequest  = 1
	kindResponse = 2
	kindEvent    = 3
	kindError    = 4
	kindCancel   = 5
	kindCredit   = 6
	kindPing     = 7
	kindPong     = 8
	kindGoAway   = 9
	kindHello    = 10

	headBytes   = 16
	endOfStream = 0x02
	knownFlags  = 0x82
	// The server's frames may be larger than a client's: a stored event may hold an item of 4 MiB.
	receivedBytes = 8 << 20
)

type frame struct {
	kind, flags byte
	method      uint16
	stream      uint32
	payload     []byte
	size        int
}

func appendFrame(out []byte, kind byte, method uint16, stream uint32, payload, metadata []byte) []byte {
	out = append(out, 0xfa, kind)
	out = binary.BigEndian.AppendUint16(out, method)
	out = binary.BigEndian.AppendUint32(out, stream)
	out = append(out, 1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(metadata)))
	out = append(out, 0)
	out = binary.BigEndian.AppendUint32(out, uint32(len(metadata)+len(payload)))
	return append(append(out, metadata...), payload...)
}

// The next frame that this client knows. An *Error is a fault of the server; other errors are those of the connection.
func readFrame(in *bufio.Reader, largest int) (frame, error) {
	for {
		head, err := in.Peek(headBytes)
		if err != nil {
			return frame{}, err
		}
		metadata, length := int(binary.BigEndian.Uint16(head[9:])), int(binary.BigEndian.Uint32(head[12:]))
		made := frame{kind: head[1], flags: head[11], method: binary.BigEndian.Uint16(head[2:]),
			stream: binary.BigEndian.Uint32(head[4:]), size: headBytes + length}
		if fault := checkHead(head, metadata, length, largest); fault != nil {
			return frame{}, fault
		}
		if _, err := in.Discard(headBytes); err != nil {
			return frame{}, err
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return frame{}, err
		}
		// Kinds with the top bit may be skipped.
		if made.kind&0x80 != 0 {
			continue
		}
		made.payload = body[metadata:]
		needsContent := made.kind == kindEvent || made.kind == kindError || made.kind == kindGoAway || made.kind == kindHello
		if needsContent && len(made.payload) == 0 {
			return frame{}, newError(Protocol, "the server sent a frame of kind %d without content", made.kind)
		}
		return made, nil
	}
}

func checkHead(head []byte, metadata, length, largest int) error {
	kind := head[1]
	switch {
	case head[0] != 0xfa:
		return newError(Protocol, "this is no server of Heddle, or one that speaks TLS: its bytes are no frames")
	case head[8] != 1:
		return newError(Protocol, "the server speaks version %d of the protocol, the client version 1", head[8])
	case metadata > length:
		return newError(Protocol, "the server sent a frame whose metadata is longer than the frame")
	case kind&0x80 == 0 && (kind < kindRequest || kind > kindHello):
		return newError(Protocol, "the server sent a frame of the unknown kind %d", kind)
	case kind&0x80 == 0 && head[11]&^knownFlags != 0:
		return newError(Protocol, "the server sent a frame with the unknown flags %#x", head[11])
	case length > largest:
		return newError(TooLarge, "the server sent a frame of %d bytes; the client takes %d", length, largest)
	}
	return nil
}

func read(payload []byte, into proto.Message) error {
	if err := proto.Unmarshal(payload, into); err != nil {
		return newError(Protocol, "the server sent a %s that cannot be read", into.ProtoReflect().Descriptor().Name())
	}
	return nil
}

// A message that cannot be encoded holds text that is no UTF-8, which the caller checks; our own never do.
func encode(message proto.Message) []byte {
	out, _ := proto.Marshal(message)
	return out
}
