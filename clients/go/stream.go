package heddle

import (
	"time"

	"heddle.dev/go/heddlepb"
)

type queued struct {
	message *heddlepb.SubscriptionEvent
	size    int
	gap     *gap
}

// gap is events of an agent that came while there was no connection: they are read before the stream goes on.
type gap struct {
	agent        []byte
	after, until uint64
}

// stream is a subscription on one connection.
type stream struct {
	s       *Subscription
	conn    *connection
	number  uint32
	allowed int
	since   time.Time
	isDone  bool
}

func (t *stream) frame(kind byte, payload []byte, size int) error {
	if kind == kindError {
		said := &heddlepb.Error{}
		if err := read(payload, said); err != nil {
			return err
		}
		t.done()
		t.s.broke(t, refused(said))
		return nil
	}
	message := &heddlepb.SubscriptionEvent{}
	if err := read(payload, message); err != nil {
		return err
	}
	t.s.mu.Lock()
	if t.s.stream != t {
		t.s.mu.Unlock()
		return nil
	}
	var fault *Error
	startsAgain := false
	if kind == kindResponse {
		fault = t.s.opened(message)
	} else if t.allowed -= size; t.allowed < -overdraft {
		fault = newError(Protocol, "the server sends more than the subscription's credit allows")
	} else {
		startsAgain, fault = t.s.came(message, size)
	}
	if startsAgain {
		t.s.stream = nil
	}
	t.s.mu.Unlock()
	if startsAgain {
		t.leave()
		t.s.startAgain()
	}
	if fault != nil {
		return fault
	}
	return nil
}

func (t *stream) ended(err *Error) {
	t.done()
	t.s.broke(t, err)
}

// Once: afterwards another stream of this connection may follow the thread.
func (t *stream) done() {
	t.conn.mu.Lock()
	defer t.conn.mu.Unlock()
	if !t.isDone {
		delete(t.conn.follows, t.s.thread)
	}
	t.isDone = true
}

// The rest of it is not wanted any more.
func (t *stream) leave() {
	t.conn.cancel(t.number)
	t.done()
}

// The answer to Subscribe.
func (s *Subscription) opened(message *heddlepb.SubscriptionEvent) *Error {
	if s.asked.Thread != nil {
		subscribed := message.GetSubscribed()
		switch {
		case subscribed == nil:
			return newError(Protocol, "the answer to Subscribe is not `subscribed`")
		case s.epoch != nil && *s.epoch != subscribed.Epoch:
			return newError(Protocol, "the thread's epoch was %d and is %d: its events are other ones", *s.epoch, subscribed.Epoch)
		case s.cursor != nil && subscribed.Head < *s.cursor:
			return newError(Protocol, "the thread ends at event %d, and %d was seen", subscribed.Head, *s.cursor)
		}
		s.epoch = &subscribed.Epoch
		if s.cursor == nil {
			s.cursor, s.received = &subscribed.Head, &subscribed.Head
		}
	}
	if !s.hasOpened {
		s.hasOpened = true
		s.queue = append(s.queue, queued{message: message})
		s.wake()
	}
	return nil
}

// A message has come. True: events are missing, and are asked for once more.
func (s *Subscription) came(message *heddlepb.SubscriptionEvent, size int) (bool, *Error) {
	if message.Kind == nil {
		s.skipped++
		s.returned += size
		return false, nil
	}
	if subscribed := message.GetSubscribed(); subscribed != nil {
		if message.Thread == nil {
			return false, newError(Protocol, "the server sent `subscribed` twice")
		}
		agent := string(message.Thread)
		known, seen := s.agents[agent]
		if seen && subscribed.Head > known {
			s.queue = append(s.queue, queued{gap: &gap{message.Thread, known, subscribed.Head}})
		} else if !seen {
			s.agents[agent] = subscribed.Head
		}
	} else if event := message.GetEvent(); event != nil && message.Thread == nil {
		last := s.received
		if last != nil && event.Sequence <= *last {
			s.returned += size
			return false, nil
		}
		if last != nil && event.Sequence != *last+1 {
			if s.gapsInARow++; s.gapsInARow > 1 {
				return false, newError(Protocol, "the server leaves out events: %d comes after %d", event.Sequence, *last)
			}
			return true, nil
		}
		s.received, s.gapsInARow = &event.Sequence, 0
	}
	s.queue = append(s.queue, queued{message: message, size: size})
	s.wake()
	return false, nil
}
