package heddle

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"
)

// Hooks are what a program can see of its client; any may be nil. No hook gets a token or a message.
type Hooks struct {
	Connected func(host string)
	Lost      func(reason string)
	Retry     func(method string, attempt int, wait time.Duration, reason string)
	Call      func(CallEnded)
	Resumed   func(thread []byte, after uint64)
}

// CallEnded is what the Call hook hears. Reason is empty if the call has its answer.
type CallEnded struct {
	Method                   string
	Attempts                 int
	Took                     time.Duration
	SentBytes, ReceivedBytes int
	Reason                   string
}

type options struct {
	token          func(context.Context) (string, error)
	hasTokenSource bool
	timeout        time.Duration
	retries        int
	backoff        time.Duration
	longestBackoff time.Duration
	connectTimeout time.Duration
	credit         int
	pingAfter      time.Duration
	lostAfter      time.Duration
	closeTimeout   time.Duration
	toolsAtOnce    int
	clientName     string
	tls            *tls.Config
	hooks          Hooks
	log            *slog.Logger
	trace          func(context.Context) (traceparent, tracestate string)
	tools          map[string]ToolFunc
	question       QuestionFunc
}

func defaults() options {
	return options{timeout: 30 * time.Second, retries: 4, backoff: 100 * time.Millisecond, longestBackoff: 10 * time.Second,
		connectTimeout: 10 * time.Second, credit: 1 << 20, pingAfter: 30 * time.Second, lostAfter: 90 * time.Second,
		closeTimeout: 5 * time.Second, toolsAtOnce: 64, clientName: "heddle-go", log: slog.New(discard{}), tools: map[string]ToolFunc{}}
}

// discard is slog's own from Go 1.24 on.
type discard struct{}

func (discard) Enabled(context.Context, slog.Level) bool  { return false }
func (discard) Handle(context.Context, slog.Record) error { return nil }
func (d discard) WithAttrs([]slog.Attr) slog.Handler      { return d }
func (d discard) WithGroup(string) slog.Handler           { return d }

// Option changes how a client behaves.
type Option func(*options)

// WithToken sets a token that does not change; it wins over HEDDLE_TOKEN.
func WithToken(token string) Option {
	return func(o *options) { o.token = func(context.Context) (string, error) { return token, nil } }
}

// WithTokenSource sets a function that gives a fresh token. It is asked at each new connection, and once more when the server
// says that a token has expired.
func WithTokenSource(source func(context.Context) (string, error)) Option {
	return func(o *options) { o.token, o.hasTokenSource = source, true }
}

// WithTimeout sets the time of a call with all its attempts, 30 s by default; 0 means no bound.
func WithTimeout(timeout time.Duration) Option { return func(o *options) { o.timeout = timeout } }

// WithRetries sets the attempts after the first one, 4 by default.
func WithRetries(retries int) Option { return func(o *options) { o.retries = retries } }

// WithBackoff sets the first wait between attempts, which doubles, and the longest one.
func WithBackoff(first, longest time.Duration) Option {
	return func(o *options) { o.backoff, o.longestBackoff = first, longest }
}

// WithConnectTimeout sets the time for one host to connect and to say HELLO.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(o *options) { o.connectTimeout = timeout }
}

// WithCredit sets the bytes of a subscription that may wait for the program, 1 MiB by default.
func WithCredit(bytes int) Option { return func(o *options) { o.credit = bytes } }

// WithKeepalive sets the silence after which the server is asked whether it is there, and after which it counts as lost.
func WithKeepalive(pingAfter, lostAfter time.Duration) Option {
	return func(o *options) { o.pingAfter, o.lostAfter = pingAfter, lostAfter }
}

// WithCloseTimeout sets the time that Close gives to calls that have no answer yet.
func WithCloseTimeout(timeout time.Duration) Option {
	return func(o *options) { o.closeTimeout = timeout }
}

// WithTLS sets a configuration of your own, and with it TLS.
func WithTLS(config *tls.Config) Option { return func(o *options) { o.tls = config } }

// WithHooks sets what the program wants to see.
func WithHooks(hooks Hooks) Option { return func(o *options) { o.hooks = hooks } }

// WithLogger sets the logger; there is none by default. No token is ever logged.
func WithLogger(log *slog.Logger) Option { return func(o *options) { o.log = log } }

// WithTrace sets the function that gives the W3C trace context of a call.
func WithTrace(trace func(context.Context) (traceparent, tracestate string)) Option {
	return func(o *options) { o.trace = trace }
}

// WithTool registers a tool before the client connects, as Client.Tool does later.
func WithTool(name string, tool ToolFunc) Option { return func(o *options) { o.tools[name] = tool } }

// WithQuestions registers the function that asks the user, as Client.OnQuestion does later.
func WithQuestions(question QuestionFunc) Option { return func(o *options) { o.question = question } }

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	key     []byte
	timeout time.Duration
}

// WithKey sets the key of a change, 16 bytes: the same key has one result.
func WithKey(key []byte) CallOption { return func(o *callOptions) { o.key = key } }

// Within sets the time of one call with all its attempts.
func Within(timeout time.Duration) CallOption { return func(o *callOptions) { o.timeout = timeout } }
