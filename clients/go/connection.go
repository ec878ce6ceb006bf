package heddle

import (
	"bufio"
	"crypto/rand"
	"errors"
	"net"
	"sync"
	"time"

	"heddle.dev/go/heddlepb"
)

const (
	lastStream   = 1<<32 - 3
	pingInterval = 5 * time.Second
	writeBytes   = 64 << 10
)

// handler is whoever has asked for something on a stream. It is called without the connection's lock.
type handler interface {
	frame(kind byte, payload []byte, size int) error
	ended(err *Error)
}

// A connection to one server:
//
//	opening   HELLO is on its way.                                                     → open, ended
//	open      calls go.                                                                → leaving, ended
//	leaving   the server has sent GOAWAY, or the client replaces it: nothing new; what it covers goes on. → ended
//	ended     everybody who waited has been told.
type connection struct {
	client *Client
	net    net.Conn
	ready  chan struct{}
	gone   chan struct{}
	wake   chan struct{}

	mu        sync.Mutex
	hello     *heddlepb.ServerHello
	ahead     time.Duration
	isLeaving bool
	hasEnded  bool
	fault     *Error
	streams   map[uint32]handler
	follows   map[string]bool
	next      uint32
	limit     int
	inFlight  int
	room      []chan struct{}
	out       []byte
	heard     time.Time
	pinged    time.Time
}

func newConnection(client *Client, socket net.Conn, hello []byte) *connection {
	c := &connection{client: client, net: socket, ready: make(chan struct{}), gone: make(chan struct{}), wake: make(chan struct{}, 1),
		streams: map[uint32]handler{}, follows: map[string]bool{}, next: 1, limit: 256, out: hello, heard: time.Now()}
	c.wake <- struct{}{}
	client.running.Add(3)
	go c.read()
	go c.write()
	go c.watch()
	return c
}

func (c *connection) isUsable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usable()
}

func (c *connection) usable() bool { return !c.hasEnded && !c.isLeaving && c.hello != nil }

// In

func (c *connection) read() {
	defer c.client.running.Done()
	in := bufio.NewReaderSize(&hearing{c}, writeBytes)
	largest := receivedBytes
	for {
		made, err := readFrame(in, largest)
		if err == nil {
			err = c.take(made)
		}
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) {
				fault = newError(Lost, "the connection ended: %v", err)
			}
			c.end(fault)
			return
		}
		if made.kind == kindHello {
			c.mu.Lock()
			largest = max(receivedBytes, 2*int(c.hello.GetLimits().GetFrameBytes()))
			c.mu.Unlock()
		}
	}
}

// hearing notes when bytes come.
type hearing struct{ c *connection }

func (h *hearing) Read(into []byte) (int, error) {
	count, err := h.c.net.Read(into)
	h.c.mu.Lock()
	h.c.heard = time.Now()
	h.c.mu.Unlock()
	return count, err
}

func (c *connection) take(f frame) error {
	c.mu.Lock()
	isOpen := c.hello != nil
	c.mu.Unlock()
	if !isOpen && f.kind != kindHello && f.kind != kindPing && f.kind != kindPong && f.kind != kindGoAway {
		return newError(Protocol, "the server's first frame is no HELLO")
	}
	isAnswer := f.kind == kindResponse || f.kind == kindEvent || f.kind == kindError
	switch {
	case f.stream%2 == 1 && isAnswer:
		return c.answer(f)
	case f.kind == kindPing:
		ping := &heddlepb.Ping{}
		if err := read(f.payload, ping); err != nil {
			return err
		}
		c.send(kindPong, 0, 0, encode(&heddlepb.Pong{Opaque: ping.Opaque}), nil)
	case f.kind == kindGoAway:
		notice := &heddlepb.GoAway{}
		if err := read(f.payload, notice); err != nil {
			return err
		}
		return c.goAway(notice)
	case f.kind == kindHello:
		return c.greeted(f.payload)
	case f.kind == kindRequest && f.stream != 0 && f.stream%2 == 0:
		c.client.tools.asked(c, f.stream, f.method, f.payload)
	case f.kind == kindCancel:
		c.client.tools.takenBack(c, f.stream)
	case f.kind == kindError:
		said := &heddlepb.Error{}
		if err := read(f.payload, said); err != nil {
			return err
		}
		c.client.log.Warn("the server does not take an answer", "error", refused(said).Error())
	case f.kind != kindPong && f.kind != kindEvent:
		return newError(Protocol, "the server sent a frame of kind %d on stream %d", f.kind, f.stream)
	}
	return nil
}

func (c *connection) answer(f frame) error {
	c.mu.Lock()
	who, known := c.streams[f.stream]
	if !known {
		isOld := f.stream < c.next
		c.mu.Unlock()
		if isOld {
			// One that has ended may be answered late; one that was never opened may not.
			return nil
		}
		return newError(Protocol, "the server answers on stream %d, which was never opened", f.stream)
	}
	_, isCall := who.(*pending)
	if f.kind == kindError || isCall || (f.kind == kindResponse && f.flags&endOfStream != 0) {
		delete(c.streams, f.stream)
	}
	c.mu.Unlock()
	err := who.frame(f.kind, f.payload, f.size)
	c.endIfDone()
	return err
}

func (c *connection) greeted(payload []byte) error {
	hello := &heddlepb.ServerHello{}
	if err := read(payload, hello); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hello != nil {
		return newError(Protocol, "the server said HELLO twice")
	}
	if hello.Version != 1 {
		return newError(Protocol, "the server speaks version %d of the protocol", hello.Version)
	}
	c.hello = hello
	if hello.ServerTime != 0 {
		c.ahead = time.Until(time.UnixMilli(hello.ServerTime))
	}
	if limit := hello.GetLimits().GetRequestsInFlight(); limit > 0 {
		c.limit = int(limit)
	}
	close(c.ready)
	return nil
}

func (c *connection) goAway(notice *heddlepb.GoAway) error {
	said := refused(notice.GetError())
	c.mu.Lock()
	if c.fault == nil {
		c.fault = said
	}
	if c.hello == nil {
		c.mu.Unlock()
		return said
	}
	c.isLeaving = true
	var unserved []handler
	for stream, who := range c.streams {
		if stream > notice.LastStream {
			delete(c.streams, stream)
			unserved = append(unserved, who)
		}
	}
	c.wakeAll()
	c.mu.Unlock()
	for _, who := range unserved {
		lost := newError(Lost, "the server goes: %s", said.Message)
		lost.unserved = true
		who.ended(lost)
	}
	c.client.leaves(c)
	c.endIfDone()
	return nil
}

// Out

func (c *connection) send(kind byte, method uint16, stream uint32, payload, metadata []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue(kind, method, stream, payload, metadata)
}

func (c *connection) queue(kind byte, method uint16, stream uint32, payload, metadata []byte) {
	if c.hasEnded {
		return
	}
	c.out = appendFrame(c.out, kind, method, stream, payload, metadata)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Everything that was queued meanwhile goes in one write.
func (c *connection) write() {
	defer c.client.running.Done()
	defer c.net.Close()
	var spare []byte
	for range c.wake {
		c.mu.Lock()
		out, ended := c.out, c.hasEnded
		c.out = spare[:0]
		c.mu.Unlock()
		if len(out) > 0 {
			if _, err := c.net.Write(out); err != nil {
				c.end(newError(Lost, "the connection ended: %v", err))
				return
			}
		}
		if spare = out; cap(spare) > 16*writeBytes {
			spare = nil
		}
		if ended {
			return
		}
	}
}

func (c *connection) open(method uint16, payload, metadata []byte, who handler) (uint32, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.usable() || c.next > lastStream {
		lost := newError(Lost, "the connection takes no more calls")
		lost.unserved = true
		return 0, lost
	}
	if most := int(c.hello.GetLimits().GetFrameBytes()); most > 0 && len(payload)+len(metadata) > most {
		return 0, newError(TooLarge, "the message has %d bytes; the server takes %d", len(payload), most)
	}
	stream := c.next
	c.next += 2
	c.streams[stream] = who
	c.queue(kindRequest, method, stream, payload, metadata)
	return stream, nil
}

func (c *connection) cancel(stream uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, open := c.streams[stream]; open {
		c.queue(kindCancel, 0, stream, nil, nil)
	}
}

// Time

func (c *connection) watch() {
	defer c.client.running.Done()
	after, lost := c.client.options.pingAfter, c.client.options.lostAfter
	ticker := time.NewTicker(max(time.Millisecond, min(after, lost)/4))
	defer ticker.Stop()
	for {
		select {
		case <-c.gone:
			return
		case now := <-ticker.C:
			c.mu.Lock()
			silence := now.Sub(c.heard)
			if c.hello != nil && silence >= after && now.Sub(c.pinged) >= min(pingInterval, after) {
				c.pinged = now
				opaque := make([]byte, 8)
				_, _ = rand.Read(opaque)
				c.queue(kindPing, 0, 0, encode(&heddlepb.Ping{Opaque: opaque}), nil)
			}
			c.mu.Unlock()
			if silence >= lost {
				c.end(newError(Lost, "nothing came from the server for %s", silence.Round(time.Second)))
				return
			}
		}
	}
}

// The end

// Nothing new goes out; it closes when everything is answered.
func (c *connection) leave() {
	c.mu.Lock()
	if c.isLeaving || c.hasEnded {
		c.mu.Unlock()
		return
	}
	c.isLeaving = true
	c.wakeAll()
	c.mu.Unlock()
	c.client.leaves(c)
	c.endIfDone()
}

func (c *connection) endIfDone() {
	c.mu.Lock()
	isDone := c.isLeaving && len(c.streams) == 0 && !c.hasEnded
	cause := c.fault
	c.mu.Unlock()
	if isDone {
		if cause == nil {
			cause = newError(Lost, "the connection was replaced")
		}
		c.end(cause)
	}
}

func (c *connection) end(err *Error) {
	c.mu.Lock()
	if c.hasEnded {
		c.mu.Unlock()
		return
	}
	c.hasEnded = true
	// A GOAWAY that came before says more than the end of the bytes.
	if c.fault == nil || err.Kind != Lost {
		c.fault = err
	}
	cause := c.fault
	streams := c.streams
	c.streams = map[uint32]handler{}
	c.wakeAll()
	isLeaving := c.isLeaving
	close(c.wake)
	c.mu.Unlock()
	if !isLeaving {
		c.net.Close()
	}
	close(c.gone)
	for _, who := range streams {
		if cause.Kind == Protocol || cause.Kind == TooLarge {
			who.ended(cause.copied())
		} else {
			who.ended(lostBy(cause))
		}
	}
	c.client.ended(c, cause)
}
