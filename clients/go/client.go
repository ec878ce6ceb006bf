// Package heddle is the client of Heddle, the session server for AI agents: threads, turns, settings, and their events.
//
//	client, err := heddle.Dial(ctx, "heddle://127.0.0.1")
//	started, err := client.Threads.Start(ctx, &heddlepb.StartThreadRequest{Name: "first"})
//	for text, err := range client.Turn(ctx, started.Thread.Id, "Hello").Text() { … }
package heddle

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"heddle.dev/go/heddlepb"
)

// Client is safe for use by many goroutines. It has one connection, and makes another when that one is lost, when the server
// goes, or when it replaces old connections.
type Client struct {
	Services

	target  target
	options options
	tools   *tools
	log     *slog.Logger
	running sync.WaitGroup

	mu            sync.Mutex
	current       *connection
	dialing       *dial
	connections   map[*connection]bool
	subscriptions map[*Subscription]bool
	closed        bool
	// Ends dialling and subscriptions when the client is closed.
	life context.Context
	stop context.CancelFunc
}

// New makes a client that connects with its first call. The URL is heddle://host:port,host2?tls=on&ca=FILE&cert=FILE&key=FILE&
// name=NAME; an empty one is HEDDLE_URL, or the server on this machine.
func New(url string, opts ...Option) (*Client, error) {
	if url == "" {
		url = os.Getenv("HEDDLE_URL")
	}
	if url == "" {
		url = "heddle://127.0.0.1"
	}
	target, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	chosen := defaults()
	for _, opt := range opts {
		opt(&chosen)
	}
	target.tls = target.tls || chosen.tls != nil
	c := &Client{target: target, options: chosen, log: chosen.log, connections: map[*connection]bool{},
		subscriptions: map[*Subscription]bool{}}
	c.life, c.stop = context.WithCancel(context.Background())
	c.tools = newTools(chosen, c.life, &c.running)
	c.Services = newServices(c)
	return c, nil
}

// Dial makes a client and connects it.
func Dial(ctx context.Context, url string, opts ...Option) (*Client, error) {
	c, err := New(url, opts...)
	if err != nil {
		return nil, err
	}
	if err := c.Connect(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Connect connects the client if it is not.
func (c *Client) Connect(ctx context.Context) error {
	if _, err := c.connection(ctx); err != nil {
		return err
	}
	return nil
}

// String names the server, and no secret.
func (c *Client) String() string { return "heddle.Client of " + strings.Join(c.target.hosts, ",") }

// GoString is what %#v prints: a client has secrets.
func (c *Client) GoString() string { return c.String() }

// Tool names the function that runs a tool. The thread must offer the tool (StartThreadRequest.Tools).
func (c *Client) Tool(name string, tool ToolFunc) {
	if c.tools.add(name, tool) {
		c.renew()
	}
}

// OnQuestion names the function that asks the user.
func (c *Client) OnQuestion(question QuestionFunc) {
	if c.tools.askWith(question) {
		c.renew()
	}
}

// HELLO names what has handlers, so a new handler needs a new connection.
func (c *Client) renew() {
	for _, conn := range c.all() {
		conn.leave()
	}
}

// Close waits for calls that have no answer yet, at most the close timeout; then nothing is left.
func (c *Client) Close() error {
	c.mu.Lock()
	wasClosed := c.closed
	c.closed = true
	subscriptions := slices.Collect(maps.Keys(c.subscriptions))
	c.mu.Unlock()
	if wasClosed {
		return nil
	}
	for _, subscription := range subscriptions {
		subscription.Close()
	}
	c.stop()
	connections := c.all()
	for _, conn := range connections {
		conn.leave()
	}
	patience := time.NewTimer(c.options.closeTimeout)
	defer patience.Stop()
wait:
	for _, conn := range connections {
		select {
		case <-conn.gone:
		case <-patience.C:
			break wait
		}
	}
	for _, conn := range c.all() {
		conn.end(newError(Lost, "the client is closed"))
	}
	c.running.Wait()
	return nil
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func (c *Client) all() []*connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.connections))
}

// Connections

// dial is a connection that is being made, for everybody who waits for one.
type dial struct {
	done chan struct{}
	conn *connection
	err  *Error
}

// The connection for new calls. One caller that gives up does not end the dialling for the others.
func (c *Client) connection(ctx context.Context) (*connection, *Error) {
	c.mu.Lock()
	if c.current != nil && c.current.isUsable() {
		defer c.mu.Unlock()
		return c.current, nil
	}
	if c.closed {
		c.mu.Unlock()
		return nil, newError(Closed, "the client is closed")
	}
	if c.dialing == nil {
		c.dialing = &dial{done: make(chan struct{})}
		c.running.Add(1)
		go c.dialFor(c.dialing)
	}
	dialing := c.dialing
	c.mu.Unlock()
	select {
	case <-dialing.done:
		if dialing.err != nil {
			return nil, dialing.err.copied()
		}
		return dialing.conn, nil
	case <-ctx.Done():
		return nil, contextError(ctx)
	}
}

func (c *Client) dialFor(dialing *dial) {
	defer c.running.Done()
	dialing.conn, dialing.err = c.dial()
	c.mu.Lock()
	if dialing.err == nil {
		c.current = dialing.conn
	}
	c.dialing = nil
	c.mu.Unlock()
	close(dialing.done)
}

// One that does not follow the thread yet; from now on it does.
func (c *Client) connectionFor(ctx context.Context, thread string) (*connection, *Error) {
	first, err := c.connection(ctx)
	if err != nil {
		return nil, err
	}
	for _, conn := range append([]*connection{first}, c.all()...) {
		conn.mu.Lock()
		isFree := conn.usable() && !conn.follows[thread]
		if isFree {
			conn.follows[thread] = true
		}
		conn.mu.Unlock()
		if isFree {
			return conn, nil
		}
	}
	conn, err := c.dial()
	if err == nil {
		conn.mu.Lock()
		conn.follows[thread] = true
		conn.mu.Unlock()
	}
	return conn, err
}

func (c *Client) leaveCurrent() {
	c.mu.Lock()
	current := c.current
	c.mu.Unlock()
	if current != nil {
		current.leave()
	}
}

func (c *Client) dial() (*connection, *Error) {
	hello, err := c.hello()
	if err != nil {
		return nil, err
	}
	var failures []string
	for number, host := range c.target.hosts {
		conn, err := c.dialHost(host, hello)
		if err == nil {
			return conn, nil
		}
		// Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
		isLast := number == len(c.target.hosts)-1
		if err.Kind == Protocol || err.Kind == TooLarge || err.Kind == Closed ||
			(err.Kind == Refused && (retryOf[err.Reason] != "reconnect" || isLast)) {
			return nil, err
		}
		failures = append(failures, host+": "+strings.TrimPrefix(err.Error(), "heddle: "))
	}
	return nil, newError(CannotConnect, "no server can be reached: %s", strings.Join(failures, "; "))
}

func (c *Client) dialHost(host string, hello []byte) (*connection, *Error) {
	ctx, stop := context.WithTimeout(c.life, c.options.connectTimeout)
	defer stop()
	socket, err := c.open(ctx, host)
	if err != nil {
		return nil, newError(Lost, "%v", err)
	}
	conn := newConnection(c, socket, slices.Clone(hello))
	select {
	case <-conn.ready:
	case <-conn.gone:
		return nil, conn.fault.copied()
	case <-ctx.Done():
		conn.end(newError(Lost, "it did not answer in %s", c.options.connectTimeout))
		return nil, newError(Lost, "it did not answer in %s", c.options.connectTimeout)
	}
	c.mu.Lock()
	isClosed := c.closed
	if !isClosed {
		c.connections[conn] = true
	}
	c.mu.Unlock()
	if isClosed {
		conn.end(newError(Lost, "the client is closed"))
		return nil, newError(Closed, "the client is closed")
	}
	c.log.Info("connected", "host", host)
	if hook := c.options.hooks.Connected; hook != nil {
		hook(host)
	}
	return conn, nil
}

func (c *Client) open(ctx context.Context, host string) (net.Conn, error) {
	if !c.target.tls {
		return new(net.Dialer).DialContext(ctx, "tcp", host)
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return nil, err
	}
	config, err := c.target.config(c.options.tls, name)
	if err != nil {
		return nil, err
	}
	return (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", host)
}

func (c *Client) hello() ([]byte, *Error) {
	token := os.Getenv("HEDDLE_TOKEN")
	if c.options.token != nil {
		ctx, stop := context.WithTimeout(c.life, c.options.connectTimeout)
		defer stop()
		var err error
		if token, err = c.options.token(ctx); err != nil {
			var own *Error
			if errors.As(err, &own) {
				return nil, own
			}
			failed := newError(CannotConnect, "the function for the token failed: %v", err)
			failed.cause = err
			return nil, failed
		}
	}
	return appendFrame(nil, kindHello, 0, 0, encode(&heddlepb.ClientHello{ClientName: c.options.clientName, Token: token,
		Features: c.tools.features(), UnwantedNotifications: []string{"thread_started"}}), nil), nil
}

// Subscriptions move at once.
func (c *Client) leaves(conn *connection) {
	c.mu.Lock()
	subscriptions := slices.Collect(maps.Keys(c.subscriptions))
	c.mu.Unlock()
	for _, subscription := range subscriptions {
		subscription.leave(conn)
	}
}

func (c *Client) ended(conn *connection, cause *Error) {
	c.mu.Lock()
	known := c.connections[conn]
	delete(c.connections, conn)
	c.mu.Unlock()
	if !known {
		return
	}
	c.log.Info("a connection ended", "reason", cause.Error())
	if hook := c.options.hooks.Lost; hook != nil {
		hook(cause.Error())
	}
}

// Invoke calls any method by its path, such as ThreadService/Read; the services do this with types.
func (c *Client) Invoke(ctx context.Context, path string, req, answer proto.Message, opts ...CallOption) error {
	m, known := methodsByPath[path]
	if !known {
		return newError(Refused, "there is no method %s", path)
	}
	_, err := invoke(ctx, c, m, req, answer, opts)
	return err
}
