package heddle_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	heddle "heddle.dev/go"
	"heddle.dev/go/heddlepb"
)

// server is a server with the scripted model. What a bad server does is in the conformance suite.
type server struct {
	t       *testing.T
	folder  string
	address string
	process *exec.Cmd
}

func newServer(t *testing.T) *server {
	s := &server{t: t, folder: t.TempDir(), address: "127.0.0.1:0"}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) start() {
	binary := os.Getenv("HEDDLE_BIN")
	if binary == "" {
		binary = "../../.build/release/heddle"
	}
	s.process = exec.Command(binary, "serve", "--data", filepath.Join(s.folder, "data"), "--listen", s.address, "--grpc", "off", "--http", "off")
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ Listen string }
	if err != nil || json.Unmarshal(line, &ready) != nil {
		s.t.Fatalf("the server did not start: %v", err)
	}
	s.address = ready.Listen
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *server) url() string { return "heddle://" + s.address }

func dial(t *testing.T, s *server, opts ...heddle.Option) (*heddle.Client, context.Context) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	client, err := heddle.Dial(ctx, s.url(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client, ctx
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func start(t *testing.T, ctx context.Context, client *heddle.Client, req *heddlepb.StartThreadRequest) []byte {
	t.Helper()
	return must[*heddlepb.StartThreadResponse](t)(client.Threads.Start(ctx, req)).Thread.Id
}

func TestCallsEventsAndATurn(t *testing.T) {
	client, ctx := dial(t, newServer(t))
	thread := start(t, ctx, client, &heddlepb.StartThreadRequest{Name: "first"})
	if text := must[string](t)(client.Turn(ctx, thread, "!chunks 20\n!delay 5\nHello there").Result()); text != "You said: Hello there" {
		t.Fatal(text)
	}
	pieces := 0
	whole := ""
	for piece, err := range client.Turn(ctx, thread, "!chunks 7\n!delay 20\nabcdefg").Text() {
		whole += must[string](t)(piece, err)
		pieces++
	}
	if whole != "You said: abcdefg" || pieces < 2 {
		t.Fatalf("%q in %d pieces", whole, pieces)
	}
	_, err := client.Threads.Read(ctx, &heddlepb.ReadThreadRequest{Thread: make([]byte, 16)})
	var refused *heddle.Error
	if !errors.As(err, &refused) || refused.Code != "NOT_FOUND" || !heddle.IsReason(err, heddle.ReasonThread) || refused.MayHaveHappened {
		t.Fatalf("%#v", err)
	}
	names := ""
	for one, err := range client.Threads.EachList(ctx, nil) {
		names += must[*heddlepb.AgentThread](t)(one, err).Name
	}
	if names != "first" {
		t.Fatal(names)
	}
}

func TestATurnThatFailsAndOneThatTheProgramGivesUp(t *testing.T) {
	client, ctx := dial(t, newServer(t))
	thread := start(t, ctx, client, nil)
	_, err := client.Turn(ctx, thread, "!fail").Result()
	if !heddle.IsReason(err, "model_failed") {
		t.Fatal(err)
	}
	patience, stop := context.WithCancel(ctx)
	time.AfterFunc(300*time.Millisecond, stop)
	if _, err = client.Turn(patience, thread, "!stall").Result(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var statuses []string
	for message, err := range client.Subscribe(ctx, thread, heddle.After(0)).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if ended := message.GetEvent().GetTurnEnded(); ended != nil {
			statuses = append(statuses, ended.Status.String())
		}
		if message.GetLive() != nil {
			break
		}
	}
	if strings.Join(statuses, " ") != "TURN_STATUS_FAILED TURN_STATUS_INTERRUPTED" {
		t.Fatal(statuses)
	}
}

// Each change once and each event once, over a server that is killed three times.
func TestKill9InTheMiddleLosesNothing(t *testing.T) {
	s := newServer(t)
	client, ctx := dial(t, s, heddle.WithBackoff(50*time.Millisecond, 200*time.Millisecond), heddle.WithRetries(100))
	thread := start(t, ctx, client, nil)
	var names, wanted []string
	var following sync.WaitGroup
	following.Add(1)
	go func() {
		defer following.Done()
		for message, err := range client.Subscribe(ctx, thread, heddle.After(0)).Events() {
			if err != nil {
				t.Error(err)
				return
			}
			if changed := message.GetEvent().GetNameChanged(); changed != nil {
				if names = append(names, changed.Name); changed.Name == "last" {
					return
				}
			}
		}
	}()
	for number := range 61 {
		if number == 10 || number == 30 || number == 50 {
			s.kill()
			s.start()
		}
		name := "name " + string(rune('a'+number%26)) + string(rune('a'+number/26))
		if number == 60 {
			name = "last"
		}
		wanted = append(wanted, name)
		must[*heddlepb.SetThreadNameResponse](t)(client.Threads.SetName(ctx, &heddlepb.SetThreadNameRequest{Thread: thread, Name: name}))
	}
	following.Wait()
	if strings.Join(names, ",") != strings.Join(wanted, ",") {
		t.Fatal(names)
	}
}

func TestAToolAndAQuestion(t *testing.T) {
	client, ctx := dial(t, newServer(t), heddle.WithTool("weather", func(_ context.Context, arguments json.RawMessage) (string, error) {
		return "grey: " + string(arguments), nil
	}), heddle.WithQuestions(func(context.Context, *heddlepb.RequestUserInputRequest) (string, error) { return "Bern", nil }))
	thread := start(t, ctx, client, &heddlepb.StartThreadRequest{AsksUser: true,
		Tools: []*heddlepb.ToolDefinition{{Name: "weather", Description: "d", Schema: `{"type":"object"}`}}})
	for input, wanted := range map[string]string{`!tool weather {"town": "Bern"}`: "grey", `!tool request_user_input {"question": "Which town?"}`: "Bern"} {
		if text := must[string](t)(client.Turn(ctx, thread, input).Result()); !strings.Contains(text, wanted) {
			t.Fatal(text)
		}
	}
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	s := newServer(t)
	before := runtime.NumGoroutine()
	for range 5 {
		ctx := context.Background()
		client := must[*heddle.Client](t)(heddle.Dial(ctx, s.url()))
		thread := start(t, ctx, client, nil)
		events := client.Subscribe(ctx, thread)
		if err := events.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		client.Close()
		_, err := client.Server.Status(ctx, nil)
		var closed *heddle.Error
		if !errors.As(err, &closed) || closed.Kind != heddle.Closed {
			t.Fatal(err)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestNobodyListens(t *testing.T) {
	_, err := heddle.Dial(context.Background(), "heddle://127.0.0.1:1", heddle.WithRetries(0))
	var failed *heddle.Error
	if !errors.As(err, &failed) || failed.Kind != heddle.CannotConnect || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Fatal(err)
	}
}

func TestURLsThatAreNone(t *testing.T) {
	for url, word := range map[string]string{"http://localhost": "begins with heddle://", "heddle://a:b": "is no host", "heddle://a?x=1": "no option",
		"heddle://user@a": "token", "heddle://a/path": "no path", "heddle://a?tls=maybe": "on or off", "heddles://a?tls=off": "exclude",
		"heddle://": "is no host", "heddle://a:70000": "is no host", "heddle://[::1": "is no host"} {
		if _, err := heddle.New(url); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
