package heddle

import (
	"context"
	"errors"

	"heddle.dev/go/heddlepb"
)

// pending is a call that waits for its answer.
type pending struct {
	c      *connection
	answer chan answered
}

type answered struct {
	payload []byte
	size    int
	err     *Error
}

func (p *pending) frame(kind byte, payload []byte, size int) error {
	p.c.answered()
	switch kind {
	case kindResponse:
		p.answer <- answered{payload: payload, size: size}
	case kindError:
		said := &heddlepb.Error{}
		if err := read(payload, said); err != nil {
			p.answer <- answered{err: newError(Protocol, "the server sent an error that cannot be read")}
			return err
		}
		p.answer <- answered{size: size, err: refused(said)}
	default:
		p.answer <- answered{err: newError(Protocol, "the server sent an event where an answer is due")}
	}
	return nil
}

func (p *pending) ended(err *Error) {
	p.c.answered()
	p.answer <- answered{err: err}
}

func (c *connection) call(ctx context.Context, method uint16, payload []byte, metadata func() []byte) (answered, int) {
	if err := c.waitForRoom(ctx); err != nil {
		return answered{err: err}, 0
	}
	beside := metadata()
	who := &pending{c, make(chan answered, 1)}
	stream, err := c.open(method, payload, beside, who)
	if err != nil {
		c.answered()
		return answered{err: err}, 0
	}
	sent := headBytes + len(beside) + len(payload)
	select {
	case got := <-who.answer:
		return got, sent
	case <-ctx.Done():
		c.cancel(stream)
		return answered{err: contextError(ctx)}, sent
	}
}

func contextError(ctx context.Context) *Error {
	made := newError(Cancelled, "the program cancelled the call")
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		made = newError(TimedOut, "the call's time is over")
	}
	made.cause = ctx.Err()
	return made
}

// Takes a place among the calls in flight.
func (c *connection) waitForRoom(ctx context.Context) *Error {
	for {
		c.mu.Lock()
		if c.inFlight < c.limit || !c.usable() {
			c.inFlight++
			c.mu.Unlock()
			return nil
		}
		room := make(chan struct{})
		c.room = append(c.room, room)
		c.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return contextError(ctx)
		}
	}
}

func (c *connection) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight--
	if len(c.room) > 0 {
		close(c.room[0])
		c.room = c.room[1:]
	}
}

func (c *connection) wakeAll() {
	for _, room := range c.room {
		close(room)
	}
	c.room = nil
}
