package heddle

import (
	"context"
	"iter"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"heddle.dev/go/heddlepb"
)

const (
	subscribeMethod = 118
	// A server sends the message that uses up the credit in full; one that goes far beyond does not count.
	overdraft = 8 << 20
)

// Subscription brings the messages of a thread, and survives connections. It goes on behind the last event that the program has
// taken. What was read ahead of it goes with its connection and comes again, so nothing is skipped and no event comes twice.
type Subscription struct {
	c      *Client
	asked  *heddlepb.SubscribeRequest
	thread string
	credit int
	ctx    context.Context
	stop   context.CancelFunc

	mu        sync.Mutex
	changed   chan struct{}
	stream    *stream
	isOpening bool
	hasOpened bool
	isClosed  bool
	err       *Error
	queue     []queued
	// The last event that the program has taken, and the last one that has come.
	cursor, received *uint64
	epoch            *uint64
	agents           map[string]uint64
	returned         int
	// Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly.
	broken     int
	gapsInARow int
	filling    *Subscription
	gap        gap
	skipped    int
}

// Subscribe follows a thread; a nil one: notices of all threads. It ends with ctx or Close.
func (c *Client) Subscribe(ctx context.Context, thread []byte, opts ...SubscribeOption) *Subscription {
	asked := &heddlepb.SubscribeRequest{Thread: thread}
	for _, opt := range opts {
		opt(asked)
	}
	s := &Subscription{c: c, asked: asked, thread: string(thread), credit: c.options.credit, changed: make(chan struct{}),
		cursor: asked.After, received: asked.After, epoch: asked.Epoch, agents: map[string]uint64{}}
	if asked.GetCredit() > 0 {
		s.credit = int(asked.GetCredit())
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	return s
}

// Skipped counts messages of kinds that this client does not know.
func (s *Subscription) Skipped() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.skipped
}

// Events iterates over the messages until the subscription is closed or fails.
func (s *Subscription) Events() iter.Seq2[*heddlepb.SubscriptionEvent, error] {
	return func(yield func(*heddlepb.SubscriptionEvent, error) bool) {
		defer s.Close()
		for {
			message, err := s.Next(s.ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if message == nil || !yield(message, nil) {
				return
			}
		}
	}
}

// Next waits for the next message; nil without an error: the subscription is closed.
func (s *Subscription) Next(ctx context.Context) (*heddlepb.SubscriptionEvent, error) {
	for {
		s.mu.Lock()
		if s.filling != nil {
			inner := s.filling
			s.mu.Unlock()
			message, err := s.fill(ctx, inner)
			if err != nil || message != nil {
				return message, err
			}
			continue
		}
		if len(s.queue) > 0 {
			first := s.queue[0]
			s.queue = s.queue[1:]
			if first.gap != nil {
				s.gap = *first.gap
				s.filling = s.c.Subscribe(s.ctx, first.gap.agent, After(first.gap.after), Only(heddlepb.SubscriptionKind_SUBSCRIPTION_KIND_EVENTS))
				s.mu.Unlock()
				continue
			}
			s.taken(first)
			s.mu.Unlock()
			return first.message, nil
		}
		if s.isClosed || s.err != nil {
			err := s.err
			s.err = nil
			s.isClosed = true
			s.mu.Unlock()
			s.stop()
			if err != nil {
				return nil, err
			}
			return nil, nil
		}
		changed := s.changed
		s.mu.Unlock()
		s.open()
		select {
		case <-changed:
		case <-s.ctx.Done():
			s.Close()
		case <-ctx.Done():
			return nil, contextError(ctx)
		}
	}
}

// Wait returns when the server follows the thread for this subscription.
func (s *Subscription) Wait(ctx context.Context) error {
	s.open()
	for {
		s.mu.Lock()
		hasOpened, err, changed, isClosed := s.hasOpened, s.err, s.changed, s.isClosed
		s.mu.Unlock()
		switch {
		case err != nil:
			return err
		case hasOpened:
			return nil
		case isClosed:
			return newError(Closed, "the subscription is closed")
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return contextError(s.ctx)
		case <-ctx.Done():
			return contextError(ctx)
		}
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.mu.Lock()
	wasClosed := s.isClosed
	s.isClosed = true
	current, inner := s.stream, s.filling
	s.stream, s.queue = nil, nil
	s.wake()
	s.mu.Unlock()
	s.stop()
	if wasClosed {
		return
	}
	s.c.mu.Lock()
	delete(s.c.subscriptions, s)
	s.c.mu.Unlock()
	if inner != nil {
		inner.Close()
	}
	if current != nil {
		current.leave()
	}
}

func (s *Subscription) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Subscription) taken(entry queued) {
	s.broken = 0
	if event := entry.message.GetEvent(); event != nil {
		if entry.message.Thread != nil {
			s.agents[string(entry.message.Thread)] = event.Sequence
		} else {
			s.cursor = proto.Uint64(event.Sequence)
		}
	}
	s.returned += entry.size
	if s.stream == nil || s.returned < s.credit/2 {
		return
	}
	s.stream.allowed += s.returned
	s.stream.conn.send(kindCredit, subscribeMethod, s.stream.number, encode(&heddlepb.Credit{Bytes: uint32(s.returned)}), nil)
	s.returned = 0
}

func (s *Subscription) fill(ctx context.Context, inner *Subscription) (*heddlepb.SubscriptionEvent, error) {
	s.mu.Lock()
	agent := string(s.gap.agent)
	seen, known := s.agents[agent]
	until := s.gap.until
	if !known {
		seen = s.gap.after
	}
	if seen >= until {
		s.filling = nil
		s.mu.Unlock()
		inner.Close()
		return nil, nil
	}
	s.mu.Unlock()
	message, err := inner.Next(ctx)
	// An agent that has been deleted has nothing left to read.
	if err != nil && !IsReason(err, ReasonThread) {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if message == nil {
		s.agents[agent] = until
		return nil, nil
	}
	if message.GetEvent() == nil {
		return nil, nil
	}
	s.agents[agent] = message.GetEvent().Sequence
	message.Thread = []byte(agent)
	return message, nil
}

// Connections

// open begins to follow, if it has not begun.
func (s *Subscription) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openLocked()
}

func (s *Subscription) openLocked() {
	if s.stream != nil || s.isOpening || s.isClosed || s.err != nil {
		return
	}
	s.isOpening = true
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.c.closed {
		s.err = newError(Closed, "the client is closed")
		s.wake()
		return
	}
	s.c.subscriptions[s] = true
	s.c.running.Add(1)
	go s.keepOpening()
}

// Subscribes, as often as it takes.
func (s *Subscription) keepOpening() {
	defer s.c.running.Done()
	s.mu.Lock()
	broken := s.broken
	s.mu.Unlock()
	if broken > 1 && sleep(s.ctx, backoff(s.c.options, broken-2)) != nil {
		return
	}
	for attempt := 0; s.ctx.Err() == nil; attempt++ {
		conn, err := s.c.connectionFor(s.ctx, s.thread)
		if err == nil {
			if err = s.subscribe(conn); err == nil {
				return
			}
		}
		mayPass := err.Kind == Lost || err.Kind == CannotConnect ||
			(err.Kind == Refused && (retryOf[err.Reason] == "wait" || retryOf[err.Reason] == "reconnect"))
		if !mayPass {
			s.fail(err)
			return
		}
		if sleep(s.ctx, max(err.RetryAfter, backoff(s.c.options, attempt))) != nil {
			return
		}
	}
}

func (s *Subscription) subscribe(conn *connection) *Error {
	made := &stream{s: s, conn: conn, allowed: s.credit, since: time.Now()}
	s.mu.Lock()
	if s.isClosed {
		s.mu.Unlock()
		made.done()
		return nil
	}
	asked := proto.Clone(s.asked).(*heddlepb.SubscribeRequest)
	asked.Credit = proto.Uint32(uint32(s.credit))
	asked.After, asked.Epoch = s.cursor, s.epoch
	s.received, s.returned = s.cursor, 0
	payload := encode(asked)
	number, err := conn.open(subscribeMethod, payload, nil, made)
	if err != nil {
		s.mu.Unlock()
		made.done()
		return err
	}
	made.number = number
	s.stream, s.isOpening = made, false
	hasOpened, cursor := s.hasOpened, s.cursor
	s.mu.Unlock()
	if hook := s.c.options.hooks.Resumed; hook != nil && hasOpened {
		var after uint64
		if cursor != nil {
			after = *cursor
		}
		hook([]byte(s.thread), after)
	}
	return nil
}

// The stream has ended.
func (s *Subscription) broke(from *stream, err *Error) {
	s.mu.Lock()
	if s.stream != from {
		s.mu.Unlock()
		return
	}
	s.stream = nil
	if s.broken++; time.Since(from.since) > s.c.options.longestBackoff {
		s.broken = 1
	}
	s.mu.Unlock()
	if err.Kind == Protocol || err.Kind == TooLarge {
		s.fail(err)
		return
	}
	if behind := err.reasonBehind(); behind.Kind == Refused {
		decided := retryOf[behind.Reason]
		if (decided == "" && err.Kind != Lost) || (decided == "token" && !s.c.options.hasTokenSource) {
			s.fail(behind)
			return
		}
		if err.Kind == Refused && (decided == "reconnect" || decided == "token") {
			from.conn.leave()
		}
	}
	s.startAgain()
}

// The connection takes nothing new: the subscription moves to another one.
func (s *Subscription) leave(conn *connection) {
	s.mu.Lock()
	current := s.stream
	if current == nil || current.conn != conn {
		s.mu.Unlock()
		return
	}
	s.stream = nil
	s.mu.Unlock()
	current.leave()
	s.startAgain()
}

// Behind what the program has taken; what was read ahead comes again.
func (s *Subscription) startAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []queued
	for _, entry := range s.queue {
		if entry.gap == nil && entry.message.GetSubscribed() != nil && entry.message.Thread == nil {
			kept = append(kept, entry)
		}
	}
	s.queue = kept
	s.openLocked()
}

func (s *Subscription) fail(err *Error) {
	s.mu.Lock()
	if s.err == nil && !s.isClosed {
		s.err = err
	}
	current := s.stream
	s.stream = nil
	s.wake()
	s.mu.Unlock()
	if current != nil {
		current.leave()
	}
	s.c.mu.Lock()
	delete(s.c.subscriptions, s)
	s.c.mu.Unlock()
}
