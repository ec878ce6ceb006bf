package heddle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"heddle.dev/go/heddlepb"
)

// ToolFunc runs a tool: it gets the arguments, a JSON object, and returns text for the model. The model is told of an error. The
// context ends when the server takes the call back or its deadline passes, but not when the connection is lost.
type ToolFunc func(ctx context.Context, arguments json.RawMessage) (string, error)

// QuestionFunc asks the user and returns the answer.
type QuestionFunc func(ctx context.Context, question *heddlepb.RequestUserInputRequest) (string, error)

const remembered = 1_024

type place struct {
	conn   *connection
	stream uint32
}

// toolRun is a call that runs, or has a result.
type toolRun struct {
	places  []place
	stop    context.CancelCauseFunc
	kind    byte
	payload []byte
}

var errTakenBack = errors.New("the server took the call back")

// The server asks every connection that follows the thread, and asks again after a lost one. A call is known by its id, so the
// function runs once; its result goes to where it was asked for last.
type tools struct {
	life    context.Context
	running *sync.WaitGroup
	room    chan struct{}

	mu       sync.Mutex
	byName   map[string]ToolFunc
	question QuestionFunc
	runs     map[string]*toolRun
	order    []string
}

func newTools(o options, life context.Context, running *sync.WaitGroup) *tools {
	return &tools{life: life, running: running, room: make(chan struct{}, o.toolsAtOnce), byName: o.tools, question: o.question,
		runs: map[string]*toolRun{}}
}

func (t *tools) features() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []string
	if len(t.byName) > 0 {
		found = append(found, "call_tool")
	}
	if t.question != nil {
		found = append(found, "request_user_input")
	}
	return found
}

// True: HELLO has to say more than before.
func (t *tools) add(name string, tool ToolFunc) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName[name] = tool
	return len(t.byName) == 1
}

func (t *tools) askWith(question QuestionFunc) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	isFirst := t.question == nil
	t.question = question
	return isFirst
}

// What the server says

func (t *tools) asked(conn *connection, stream uint32, number uint16, payload []byte) {
	refuse := func(code heddlepb.Code, text string) {
		conn.send(kindError, number, stream, failure(code, text), nil)
	}
	var key string
	var deadline int64
	var work func(context.Context) ([]byte, error)
	switch number {
	case numberCallTool:
		asked := &heddlepb.CallToolRequest{}
		if read(payload, asked) != nil {
			refuse(heddlepb.Code_CODE_INVALID_ARGUMENT, "the request cannot be read")
			return
		}
		t.mu.Lock()
		tool := t.byName[asked.Name]
		t.mu.Unlock()
		if tool != nil {
			work = func(ctx context.Context) ([]byte, error) { return runTool(ctx, tool, asked) }
		}
		key, deadline = fmt.Sprintf("%x %x %s", asked.Thread, asked.Turn, asked.CallId), asked.Deadline
	case numberRequestUserInput:
		asked := &heddlepb.RequestUserInputRequest{}
		if read(payload, asked) != nil {
			refuse(heddlepb.Code_CODE_INVALID_ARGUMENT, "the request cannot be read")
			return
		}
		t.mu.Lock()
		question := t.question
		t.mu.Unlock()
		if question != nil {
			work = func(ctx context.Context) ([]byte, error) {
				answer, err := question(ctx, asked)
				return encode(&heddlepb.RequestUserInputResponse{Answer: answer, ActionHash: asked.ActionHash}), err
			}
		}
		key, deadline = fmt.Sprintf("%x %x %s", asked.Thread, asked.Turn, asked.CallId), asked.Deadline
	}
	if work == nil || t.life.Err() != nil {
		refuse(heddlepb.Code_CODE_UNIMPLEMENTED, "this client does not have the tool")
		return
	}
	t.begin(conn, stream, number, key, deadline, work)
}

func (t *tools) begin(conn *connection, stream uint32, number uint16, key string, deadline int64, work func(context.Context) ([]byte, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.runs[key]; known != nil {
		if known.payload != nil {
			conn.send(known.kind, number, stream, known.payload, nil)
		} else {
			known.places = append(known.places, place{conn, stream})
		}
		return
	}
	ctx, stop := context.WithCancelCause(t.life)
	run := &toolRun{places: []place{{conn, stream}}, stop: stop}
	t.runs[key] = run
	t.order = append(t.order, key)
	for len(t.order) > remembered && t.runs[t.order[0]].done() {
		delete(t.runs, t.order[0])
		t.order = t.order[1:]
	}
	t.running.Add(1)
	go t.serve(ctx, run, conn, number, deadline, work)
}

func (r *toolRun) done() bool { return r == nil || r.payload != nil }

func (t *tools) takenBack(conn *connection, stream uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, run := range t.runs {
		for index, at := range run.places {
			if at.conn != conn || at.stream != stream {
				continue
			}
			run.places = append(run.places[:index:index], run.places[index+1:]...)
			if len(run.places) == 0 && run.payload == nil {
				run.stop(errTakenBack)
				delete(t.runs, key)
			}
			break
		}
	}
}

// The functions

func (t *tools) serve(ctx context.Context, run *toolRun, conn *connection, number uint16, deadline int64, work func(context.Context) ([]byte, error)) {
	defer t.running.Done()
	defer run.stop(nil)
	select {
	case t.room <- struct{}{}:
		defer func() { <-t.room }()
	case <-ctx.Done():
		return
	}
	if deadline > 0 {
		conn.mu.Lock()
		until := time.UnixMilli(deadline).Add(-conn.ahead)
		conn.mu.Unlock()
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, until)
		defer stop()
	}
	payload, err := safely(ctx, work)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	kind := byte(kindResponse)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, payload = kindError, failure(heddlepb.Code_CODE_DEADLINE_EXCEEDED, "the tool did not end in its time")
	} else if err != nil {
		kind, payload = kindError, failure(heddlepb.Code_CODE_UNKNOWN, fmt.Sprintf("%.4000s", err.Error()))
	}
	conn.mu.Lock()
	most := int(conn.hello.GetLimits().GetFrameBytes())
	conn.mu.Unlock()
	if most > 0 && len(payload) > most {
		kind, payload = kindError, failure(heddlepb.Code_CODE_UNKNOWN, fmt.Sprintf("the tool's result is larger than %d bytes", most))
	}
	t.mu.Lock()
	run.kind, run.payload = kind, append([]byte{}, payload...)
	places := run.places
	t.mu.Unlock()
	for _, at := range places {
		at.conn.send(kind, number, at.stream, payload, nil)
	}
}

// A function that panics has failed; the program goes on. One that does not look at its context is not waited for.
func safely(ctx context.Context, work func(context.Context) ([]byte, error)) ([]byte, error) {
	type result struct {
		payload []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		var made result
		defer func() {
			if panicked := recover(); panicked != nil {
				made.err = fmt.Errorf("the tool panicked: %v", panicked)
			}
			done <- made
		}()
		made.payload, made.err = work(ctx)
	}()
	select {
	case made := <-done:
		return made.payload, made.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func runTool(ctx context.Context, tool ToolFunc, asked *heddlepb.CallToolRequest) ([]byte, error) {
	arguments := json.RawMessage(asked.Arguments)
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(arguments, &object) != nil {
		return nil, errors.New("the arguments are no JSON object")
	}
	text, err := tool(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(&heddlepb.CallToolResponse{Success: true,
		Content: []*heddlepb.ContentPart{{Part: &heddlepb.ContentPart_Text{Text: text}}}})
}

func failure(code heddlepb.Code, message string) []byte {
	return encode(&heddlepb.Error{Code: code, Reason: "tool_failed", Message: message})
}
