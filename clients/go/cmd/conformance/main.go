// The driver of the Go client for the conformance suite: conformance/README.md.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"heddle.dev/go"
	"heddle.dev/go/conformancepb"
	"heddle.dev/go/heddlepb"
)

type pb = conformancepb.Report

type work struct {
	stop   context.CancelFunc
	result chan *pb
}

type driver struct {
	client        *heddle.Client
	background    map[uint32]work
	subscriptions map[string]*heddle.Subscription
	tools         []*conformancepb.Tool
	mu            sync.Mutex
	heard         []string
	begun         map[string]uint32
	cancelled     map[string]uint32
	logged        bytes.Buffer
}

func (d *driver) hear(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = append(d.heard, fmt.Sprintf(format, args...))
}

func (d *driver) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.logged.Write(line)
}

func (d *driver) begin() {
	for _, running := range d.background {
		running.stop()
	}
	if d.client != nil {
		d.client.Close()
	}
	d.client, d.tools, d.heard = nil, nil, nil
	d.background, d.subscriptions = map[uint32]work{}, map[string]*heddle.Subscription{}
	d.begun, d.cancelled = map[string]uint32{}, map[string]uint32{}
}

func ms(value uint32, other time.Duration) time.Duration {
	if value == 0 {
		return other
	}
	return time.Duration(value) * time.Millisecond
}

func (d *driver) connect(asked *conformancepb.Connect) (*pb, error) {
	timeout := ms(asked.TimeoutMs, 30*time.Second)
	opts := []heddle.Option{
		heddle.WithTimeout(timeout), heddle.WithBackoff(ms(asked.BackoffMs, 100*time.Millisecond), ms(asked.LongestBackoffMs, 10*time.Second)),
		heddle.WithConnectTimeout(ms(asked.ConnectTimeoutMs, 10*time.Second)), heddle.WithCloseTimeout(ms(asked.CloseTimeoutMs, 5*time.Second)),
		heddle.WithKeepalive(ms(asked.PingAfterMs, 30*time.Second), ms(asked.LostAfterMs, 90*time.Second)),
		heddle.WithLogger(slog.New(slog.NewTextHandler(d, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		heddle.WithHooks(heddle.Hooks{
			Connected: func(string) { d.hear("connected") }, Lost: func(string) { d.hear("lost") }, Resumed: func([]byte, uint64) { d.hear("resumed") },
			Retry: func(method string, _ int, _ time.Duration, reason string) { d.hear("retry %s %s", method, reason) },
			Call:  func(call heddle.CallEnded) { d.hear("call %s %s", call.Method, call.Reason) }}),
	}
	if asked.Retries != nil {
		opts = append(opts, heddle.WithRetries(int(asked.GetRetries())))
	}
	if asked.Credit > 0 {
		opts = append(opts, heddle.WithCredit(int(asked.Credit)))
	}
	if asked.Token != "" {
		opts = append(opts, heddle.WithToken(asked.Token))
	} else if len(asked.Tokens) > 0 || asked.TokenFails {
		left := asked.Tokens
		opts = append(opts, heddle.WithTokenSource(func(context.Context) (string, error) {
			if len(left) > 1 {
				first := left[0]
				left = left[1:]
				return first, nil
			}
			if asked.TokenFails {
				return "", errors.New("no token today")
			}
			return left[0], nil
		}))
	}
	client, err := heddle.New(asked.Url, opts...)
	if err != nil {
		return nil, err
	}
	d.client = client
	for _, tool := range d.tools {
		d.register(tool)
	}
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	return nil, client.Connect(ctx)
}

func (d *driver) register(tool *conformancepb.Tool) {
	run := func(ctx context.Context) (string, error) {
		d.mu.Lock()
		d.begun[tool.Name]++
		d.mu.Unlock()
		switch does := tool.Does.(type) {
		case *conformancepb.Tool_Fail:
			return "", errors.New(does.Fail)
		case *conformancepb.Tool_Large:
			return strings.Repeat("x", int(does.Large)), nil
		case *conformancepb.Tool_WaitMs:
			select {
			case <-time.After(time.Duration(does.WaitMs) * time.Millisecond):
				return "waited", nil
			case <-ctx.Done():
				d.mu.Lock()
				d.cancelled[tool.Name]++
				d.mu.Unlock()
				return "", ctx.Err()
			}
		}
		return tool.GetAnswer(), nil
	}
	if tool.Question {
		d.client.OnQuestion(func(ctx context.Context, _ *heddlepb.RequestUserInputRequest) (string, error) { return run(ctx) })
	} else {
		d.client.Tool(tool.Name, func(ctx context.Context, _ json.RawMessage) (string, error) { return run(ctx) })
	}
}

func message(name protoreflect.FullName) proto.Message {
	found, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		panic(err)
	}
	return found.New().Interface()
}

func (d *driver) call(ctx context.Context, asked *conformancepb.Call) (*pb, error) {
	service, name, _ := strings.Cut(asked.Method, "/")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName("heddle.v1." + service))
	if err != nil {
		return nil, err
	}
	method := found.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(name))
	req, answer := message(method.Input().FullName()), message(method.Output().FullName())
	if err := proto.Unmarshal(asked.Request, req); err != nil {
		return nil, err
	}
	var opts []heddle.CallOption
	if len(asked.Key) > 0 {
		opts = append(opts, heddle.WithKey(asked.Key))
	}
	if asked.TimeoutMs > 0 {
		opts = append(opts, heddle.Within(ms(asked.TimeoutMs, 0)))
	}
	if err := d.client.Invoke(ctx, asked.Method, req, answer, opts...); err != nil {
		return nil, err
	}
	return &pb{What: &conformancepb.Report_Answer{Answer: &conformancepb.Answer{Message: must(proto.Marshal(answer))}}}, nil
}

func (d *driver) turn(ctx context.Context, asked *conformancepb.Turn) (*pb, error) {
	turn := d.client.Turn(ctx, asked.Thread, asked.Text)
	end := &conformancepb.TurnEnd{}
	for piece, err := range turn.Text() {
		if err != nil {
			return nil, err
		}
		end.Text += piece
		end.Pieces++
	}
	end.Turn, end.OutputTokens = turn.ID(), turn.Usage().GetOutputTokens()
	return &pb{What: &conformancepb.Report_Turn{Turn: end}}, nil
}

// In the background, or at once.
func (d *driver) run(id uint32, inBackground bool, do func(context.Context) (*pb, error)) (*pb, error) {
	ctx, stop := context.WithCancel(context.Background())
	if !inBackground {
		defer stop()
		return do(ctx)
	}
	running := work{stop, make(chan *pb, 1)}
	d.background[id] = running
	go func() { running.result <- report(do(ctx)) }()
	// The next step begins behind this one, as cases expect.
	time.Sleep(10 * time.Millisecond)
	return nil, nil
}

func (d *driver) next(asked *conformancepb.Next) (*pb, error) {
	ctx, stop := context.WithTimeout(context.Background(), ms(asked.TimeoutMs, 5*time.Second))
	defer stop()
	event, err := d.subscriptions[asked.Name].Next(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return &pb{What: &conformancepb.Report_Nothing{Nothing: &conformancepb.Nothing{}}}, nil
	case err != nil:
		return nil, err
	case event == nil:
		return &pb{What: &conformancepb.Report_Ended{Ended: &conformancepb.Ended{}}}, nil
	}
	return &pb{What: &conformancepb.Report_Event{Event: &conformancepb.Event{Message: must(proto.Marshal(event))}}}, nil
}

func (d *driver) subscribe(asked *conformancepb.Subscribe) {
	var opts []heddle.SubscribeOption
	if asked.After != nil {
		opts = append(opts, heddle.After(asked.GetAfter()))
	}
	if asked.Epoch != nil {
		opts = append(opts, heddle.InEpoch(asked.GetEpoch()))
	}
	if asked.Tree {
		opts = append(opts, heddle.WithTree())
	}
	if asked.Credit > 0 {
		opts = append(opts, heddle.CreditOf(asked.Credit))
	}
	s := d.client.Subscribe(context.Background(), asked.Thread, opts...)
	d.subscriptions[asked.Name] = s
	go s.Wait(context.Background())
	time.Sleep(10 * time.Millisecond)
}

func (d *driver) pages(asked *conformancepb.Pages) (*pb, error) {
	if asked.Method != "ThreadService/List" {
		return &pb{What: &conformancepb.Report_LeftOut{LeftOut: &conformancepb.LeftOut{Why: "pages of " + asked.Method}}}, nil
	}
	req := &heddlepb.ListThreadsRequest{}
	if err := proto.Unmarshal(asked.Request, req); err != nil {
		return nil, err
	}
	made := &conformancepb.Items{}
	for item, err := range d.client.Threads.EachList(context.Background(), req) {
		if err != nil {
			return nil, err
		}
		if made.Items = append(made.Items, must(proto.Marshal(item))); len(made.Items) == int(asked.Most) {
			break
		}
	}
	return &pb{What: &conformancepb.Report_Items{Items: made}}, nil
}

func (d *driver) step(step *conformancepb.Step) (*pb, error) {
	switch what := step.What.(type) {
	case *conformancepb.Step_Begin:
		d.begin()
	case *conformancepb.Step_Connect:
		return d.connect(what.Connect)
	case *conformancepb.Step_Call:
		return d.run(step.Id, what.Call.Background, func(ctx context.Context) (*pb, error) { return d.call(ctx, what.Call) })
	case *conformancepb.Step_Await:
		return <-d.background[what.Await.Step].result, nil
	case *conformancepb.Step_Cancel:
		d.background[what.Cancel.Step].stop()
	case *conformancepb.Step_Subscribe:
		d.subscribe(what.Subscribe)
	case *conformancepb.Step_Next:
		return d.next(what.Next)
	case *conformancepb.Step_Unsubscribe:
		d.subscriptions[what.Unsubscribe.Name].Close()
	case *conformancepb.Step_Turn:
		return d.run(step.Id, what.Turn.Background, func(ctx context.Context) (*pb, error) { return d.turn(ctx, what.Turn) })
	case *conformancepb.Step_Pages:
		return d.pages(what.Pages)
	case *conformancepb.Step_Tool:
		if d.tools = append(d.tools, what.Tool); d.client != nil {
			d.register(what.Tool)
		}
	case *conformancepb.Step_ToolRuns:
		d.mu.Lock()
		defer d.mu.Unlock()
		counts := &conformancepb.Counts{Begun: map[string]uint32{}, Cancelled: map[string]uint32{}}
		for name, count := range d.begun {
			counts.Begun[name] = count
		}
		for name, count := range d.cancelled {
			counts.Cancelled[name] = count
		}
		return &pb{What: &conformancepb.Report_Counts{Counts: counts}}, nil
	case *conformancepb.Step_Hooks:
		d.mu.Lock()
		defer d.mu.Unlock()
		heard := &conformancepb.Heard{Hooks: d.heard, Text: d.logged.String() + fmt.Sprintf("%v %+v %#v", d.client, d.client, d.client)}
		d.heard = nil
		return &pb{What: &conformancepb.Report_Heard{Heard: heard}}, nil
	case *conformancepb.Step_Close:
		return nil, d.client.Close()
	case *conformancepb.Step_Vector:
		made := message(protoreflect.FullName(what.Vector.Message))
		if err := proto.Unmarshal(what.Vector.Bytes, made); err != nil {
			return nil, err
		}
		return &pb{What: &conformancepb.Report_Answer{Answer: &conformancepb.Answer{Message: must(proto.Marshal(made))}}}, nil
	}
	return nil, nil
}

func report(made *pb, err error) *pb {
	if err == nil {
		if made == nil {
			made = &pb{What: &conformancepb.Report_Done{Done: &conformancepb.Done{}}}
		}
		return made
	}
	var failed *heddle.Error
	if !errors.As(err, &failed) {
		panic(err)
	}
	return &pb{What: &conformancepb.Report_Failed{Failed: &conformancepb.Failed{Kind: string(failed.Kind), Code: failed.Code, Reason: failed.Reason,
		Message: failed.Error(), Details: failed.Details, DebugId: failed.DebugID, Attempts: uint32(failed.Attempts), MayHaveHappened: failed.MayHaveHappened}}}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	d := &driver{}
	for head := make([]byte, 4); ; {
		if _, err := io.ReadFull(os.Stdin, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head))
		must(io.ReadFull(os.Stdin, body))
		step := &conformancepb.Step{}
		if err := proto.Unmarshal(body, step); err != nil {
			panic(err)
		}
		made := report(d.step(step))
		made.Id = step.Id
		out := must(proto.Marshal(made))
		must(os.Stdout.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(out))), out...)))
	}
}
