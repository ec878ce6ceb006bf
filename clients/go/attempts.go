package heddle

import (
	"context"
	"crypto/rand"
	"iter"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"heddle.dev/go/heddlepb"
)

type method struct {
	number uint16
	path   string
	// The server keeps one result for each key, so a repetition happens once.
	keyed bool
	// A call that may have been served can be sent again.
	repeatable bool
}

// After these the outcome of a change is open although the server answered.
var openOutcomes = []string{"storage_failed", "deadline_exceeded", "cancelled", "internal"}

const longestDeadline = 24 * time.Hour

// invoke is one call with all its attempts.
func invoke[Response proto.Message](
	ctx context.Context, c *Client, m method, req proto.Message, answer Response, opts []CallOption,
) (Response, error) {
	var none Response
	payload, err := proto.Marshal(following(req))
	if err != nil {
		return none, err
	}
	body, failed := c.invoke(ctx, m, payload, opts)
	if failed != nil {
		return none, failed
	}
	if err := read(body, answer); err != nil {
		return none, err
	}
	return answer, nil
}

// There is one way to follow a thread, which is Subscribe.
func following(req proto.Message) proto.Message {
	switch asked := req.(type) {
	case *heddlepb.StartThreadRequest:
		own := proto.Clone(orEmpty(asked)).(*heddlepb.StartThreadRequest)
		own.Subscribe = proto.Bool(false)
		return own
	case *heddlepb.ResumeThreadRequest:
		own := proto.Clone(orEmpty(asked)).(*heddlepb.ResumeThreadRequest)
		own.Subscribe = proto.Bool(false)
		return own
	case *heddlepb.ForkThreadRequest:
		own := proto.Clone(orEmpty(asked)).(*heddlepb.ForkThreadRequest)
		own.Subscribe = proto.Bool(false)
		return own
	}
	return req
}

func orEmpty[T any](message *T) *T {
	if message == nil {
		return new(T)
	}
	return message
}

func (c *Client) invoke(ctx context.Context, m method, payload []byte, opts []CallOption) ([]byte, error) {
	chosen := callOptions{timeout: c.options.timeout}
	for _, opt := range opts {
		opt(&chosen)
	}
	if chosen.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, chosen.timeout)
		defer stop()
	}
	a := &attempts{c: c, m: m, key: chosen.key, began: time.Now()}
	if !m.keyed {
		a.key = nil
	} else if a.key == nil {
		a.key = make([]byte, 16)
		_, _ = rand.Read(a.key)
	} else if len(a.key) != 16 {
		return nil, newError(Refused, "a key has 16 bytes, not %d", len(a.key))
	}
	body, err := a.run(ctx, payload)
	a.note(err)
	if err != nil {
		return nil, err
	}
	return body, nil
}

// attempts is one call, as often as it takes.
type attempts struct {
	c              *Client
	m              method
	key            []byte
	count          int
	began          time.Time
	sent, received int
	isSent         bool
	// A change may have been made, and no answer has said whether.
	outcomeIsOpen bool
	hasNewToken   bool
}

func (a *attempts) run(ctx context.Context, payload []byte) ([]byte, *Error) {
	for {
		a.count++
		body, err := a.once(ctx, payload)
		if err == nil {
			return body, nil
		}
		wait, again := a.waitBeforeAnother(ctx, err)
		if !again {
			return nil, err
		}
		if retry := a.c.options.hooks.Retry; retry != nil {
			retry(a.m.path, a.count, wait, reasonOf(err))
		}
		a.c.log.Debug("a call is sent again", "method", a.m.path, "attempt", a.count, "reason", reasonOf(err))
		if failed := sleep(ctx, wait); failed != nil {
			return nil, a.marked(failed)
		}
	}
}

func (a *attempts) once(ctx context.Context, payload []byte) ([]byte, *Error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	conn, err := a.c.connection(ctx)
	if err != nil {
		return nil, err
	}
	got, sent := conn.call(ctx, a.m.number, payload, func() []byte { return a.metadata(ctx) })
	a.sent += sent
	a.received += got.size
	if got.err == nil {
		return got.payload, nil
	}
	a.isSent = a.isSent || (sent > 0 && !got.err.unserved)
	if got.err.Kind == Refused && retryOf[got.err.Reason] == "reconnect" {
		conn.leave()
	}
	return nil, got.err
}

func (a *attempts) metadata(ctx context.Context) []byte {
	beside := &heddlepb.Metadata{IdempotencyKey: a.key}
	if deadline, has := ctx.Deadline(); has {
		left := min(longestDeadline, max(time.Millisecond, time.Until(deadline)))
		beside.DeadlineMs = proto.Int64(left.Milliseconds())
	}
	if a.c.options.trace != nil {
		beside.Traceparent, beside.Tracestate = a.c.options.trace(ctx)
	}
	return encode(beside)
}

func (a *attempts) marked(err *Error) *Error {
	err.Attempts, err.MayHaveHappened = a.count, a.outcomeIsOpen
	return err
}

// How long to wait until the next attempt; false: this error is the call's.
func (a *attempts) waitBeforeAnother(ctx context.Context, err *Error) (time.Duration, bool) {
	behind := err.reasonBehind()
	reason := ""
	if behind.Kind == Refused {
		reason = behind.Reason
	}
	isOpen := ((err.Kind == TimedOut || err.Kind == Cancelled) && a.isSent) || (err.Kind == Lost && !err.unserved) ||
		(err.Kind == Refused && slices.Contains(openOutcomes, reason))
	a.outcomeIsOpen = a.outcomeIsOpen || (isOpen && (a.m.keyed || !a.m.repeatable))
	a.marked(err)
	if a.count > a.c.options.retries || a.c.isClosed() || !a.mayRepeat(err, reason, isOpen) {
		return 0, false
	}
	wait := backoff(a.c.options, a.count-1)
	if a.count == 1 && !isOpen && retryOf[reason] != "wait" && err.Kind != CannotConnect {
		// The server has said that it did not serve the call, and another connection may.
		wait = 0
	}
	wait = max(wait, behind.RetryAfter)
	deadline, has := ctx.Deadline()
	return wait, !has || time.Until(deadline) > wait
}

func (a *attempts) mayRepeat(err *Error, reason string, isOpen bool) bool {
	if isOpen && !a.m.repeatable {
		return false
	}
	decided := retryOf[reason]
	switch {
	case decided == "token":
		if a.hasNewToken || !a.c.options.hasTokenSource {
			return false
		}
		a.hasNewToken = true
		a.c.leaveCurrent()
		return true
	case err.Kind == Refused:
		return decided == "wait" || decided == "reconnect"
	}
	return err.Kind == CannotConnect || (err.Kind == Lost && (reason == "" || decided != ""))
}

func (a *attempts) note(err *Error) {
	hook := a.c.options.hooks.Call
	if hook == nil {
		return
	}
	reason := ""
	if err != nil {
		reason = reasonOf(err)
	}
	hook(CallEnded{Method: a.m.path, Attempts: a.count, Took: time.Since(a.began), SentBytes: a.sent, ReceivedBytes: a.received, Reason: reason})
}

func reasonOf(err *Error) string {
	if err.Reason != "" {
		return err.Reason
	}
	return string(err.Kind)
}

// The first wait doubles up to the longest one, and clients do not come back together.
func backoff(o options, attempt int) time.Duration {
	wait := min(o.longestBackoff, o.backoff<<min(attempt, 20))
	return time.Duration(float64(wait) * (0.5 + mathrand.Float64()/2))
}

func sleep(ctx context.Context, wait time.Duration) *Error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	}
}

// pages iterates over the items of all pages.
func pages[Request any, Item any, Message interface {
	*Request
	proto.Message
}](req Message, ask func(Message) ([]Item, string, error), set func(Message, string)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		own := Message(new(Request))
		if req != nil {
			own = proto.Clone(req).(Message)
		}
		for {
			items, cursor, err := ask(own)
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor == "" {
				return
			}
			set(own, cursor)
		}
	}
}
