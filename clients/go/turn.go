package heddle

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"heddle.dev/go/heddlepb"
)

// Turn is made by Client.Turn. Take Text or Result, once.
type Turn struct {
	c      *Client
	ctx    context.Context
	thread []byte
	req    *heddlepb.StartTurnRequest
	id     []byte
	usage  *heddlepb.TokenUsage
	whole  strings.Builder
	// Bytes of each of the model's messages that have come: each byte comes once, wherever it comes from.
	seen map[string]uint64
}

// Turn starts a turn and follows it. If ctx is cancelled, the turn is interrupted.
func (c *Client) Turn(ctx context.Context, thread []byte, text string, change ...func(*heddlepb.StartTurnRequest)) *Turn {
	req := &heddlepb.StartTurnRequest{Thread: thread, Input: &heddlepb.TurnInput{
		Content: []*heddlepb.ContentPart{{Part: &heddlepb.ContentPart_Text{Text: text}}}}}
	for _, one := range change {
		one(req)
	}
	return &Turn{c: c, ctx: ctx, thread: thread, req: req, seen: map[string]uint64{}}
}

// ID is the turn's id, as soon as it is started.
func (t *Turn) ID() []byte { return t.id }

// Usage is the tokens used, when the turn has ended.
func (t *Turn) Usage() *heddlepb.TokenUsage { return t.usage }

// Result waits for the end and returns the whole text.
func (t *Turn) Result() (string, error) {
	for _, err := range t.Text() {
		if err != nil {
			return "", err
		}
	}
	return t.whole.String(), nil
}

// Text iterates over the model's words as they come.
func (t *Turn) Text() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		events := t.c.Subscribe(t.ctx, t.thread)
		defer events.Close()
		if err := events.Wait(t.ctx); err != nil {
			yield("", err)
			return
		}
		started, err := t.c.Turns.Start(t.ctx, t.req)
		if err != nil {
			t.interruptIfCancelled()
			yield("", err)
			return
		}
		t.id = started.Turn
		for {
			message, err := events.Next(t.ctx)
			if err == nil && message == nil {
				err = contextErrorOr(t.ctx, newError(Closed, "the client is closed"))
			}
			if err != nil {
				t.interruptIfCancelled()
				yield("", err)
				return
			}
			if piece := t.piece(message); piece != "" {
				t.whole.WriteString(piece)
				if !yield(piece, nil) {
					return
				}
			}
			isEnd, failed := t.ended(message)
			if failed != nil {
				yield("", failed)
			}
			if isEnd {
				return
			}
		}
	}
}

func contextErrorOr(ctx context.Context, other *Error) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	return other
}

// The program has given the turn up: the server need not go on with it.
func (t *Turn) interruptIfCancelled() {
	if t.id == nil || !errors.Is(t.ctx.Err(), context.Canceled) {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), 5*time.Second)
	defer stop()
	_, _ = t.c.Turns.Interrupt(ctx, &heddlepb.InterruptTurnRequest{Thread: t.thread, Turn: t.id})
}

func (t *Turn) isMine(turn []byte) bool { return string(turn) == string(t.id) }

func (t *Turn) piece(message *heddlepb.SubscriptionEvent) string {
	if delta := message.GetDelta(); delta != nil && t.isMine(delta.Turn) {
		return t.unseen(delta.Item, delta.Offset, delta.Text)
	}
	if snapshot := message.GetSnapshot(); snapshot != nil && t.isMine(snapshot.Turn) {
		return t.unseen(snapshot.Item, 0, snapshot.Text)
	}
	event := message.GetEvent()
	if event == nil || !t.isMine(event.Turn) {
		return ""
	}
	if item := event.GetItemStarted().GetItem(); item.GetMessage() != nil {
		t.begin(item)
	}
	item := event.GetItemCompleted().GetItem()
	if item.GetMessage().GetRole() != heddlepb.Role_ROLE_ASSISTANT {
		return ""
	}
	t.begin(item)
	var text strings.Builder
	for _, part := range item.GetMessage().GetContent() {
		text.WriteString(part.GetText())
	}
	return t.unseen(item.Id, 0, text.String())
}

func (t *Turn) begin(item *heddlepb.Item) {
	if _, known := t.seen[string(item.Id)]; !known {
		t.seen[string(item.Id)] = 0
	}
}

// What is new of a piece; one beyond a gap waits for the item's end.
func (t *Turn) unseen(item []byte, offset uint64, text string) string {
	seen, known := t.seen[string(item)]
	end := offset + uint64(len(text))
	if !known || offset > seen || end <= seen {
		return ""
	}
	t.seen[string(item)] = end
	return text[seen-offset:]
}

func (t *Turn) ended(message *heddlepb.SubscriptionEvent) (bool, error) {
	ended := message.GetEvent().GetTurnEnded()
	if ended == nil || !t.isMine(ended.Turn) {
		return false, nil
	}
	t.usage = ended.Usage
	if ended.Status == heddlepb.TurnStatus_TURN_STATUS_COMPLETED {
		return true, nil
	}
	status := strings.TrimPrefix(ended.Status.String(), "TURN_STATUS_")
	text := ended.GetError().GetMessage()
	if text == "" {
		text = "the turn ended as " + status
	}
	return true, &Error{Kind: TurnFailed, Message: text, Reason: ended.GetError().GetReason(), Status: status, Text: t.whole.String(), Attempts: 1}
}
