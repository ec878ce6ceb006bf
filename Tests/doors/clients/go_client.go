// Calls of gRPC in Go (Debian's golang-google-grpc-dev): one JSON object a line in and out, see ../lines.py.
//
//	go_client SCHEMA ADDRESS
//	go_client SCHEMA ADDRESS load SECONDS CHANNELS    calls without pause, see ../rollovers.py
//
// Messages are made from the descriptor set, so the program has no generated code.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "github.com/golang/protobuf/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// The codec of grpc-go 1.33 knows only messages of the first Go API.
type codec struct{}

func (codec) Marshal(v interface{}) ([]byte, error)      { return proto.Marshal(v.(proto.Message)) }
func (codec) Unmarshal(data []byte, v interface{}) error { return proto.Unmarshal(data, v.(proto.Message)) }
func (codec) Name() string                               { return "proto" }

type order struct {
	Call      int               `json:"call"`
	Method    string            `json:"method"`
	Requests  []json.RawMessage `json:"requests"`
	Metadata  [][2]string       `json:"metadata"`
	TimeoutMs int               `json:"timeout_ms"`
	Read      *int              `json:"read"`
	Cancel    bool              `json:"cancel"`
}

// A call that runs. It may take `allowed` more messages; below 0 as many as come.
type call struct {
	cancel  context.CancelFunc
	lock    sync.Mutex
	more    *sync.Cond
	allowed int
}

var (
	files   *protoregistry.Files
	channel *grpc.ClientConn
	output  sync.Mutex
	calls   = map[int]*call{}
)

func say(fields map[string]interface{}) {
	line, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	output.Lock()
	defer output.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

func flat(values metadata.MD) map[string]string {
	flat := map[string]string{}
	for name, all := range values {
		flat[name] = strings.Join(all, ",")
		if strings.HasSuffix(name, "-bin") {
			flat[name] = base64.StdEncoding.EncodeToString([]byte(all[0]))
		}
	}
	return flat
}

func method(path string) (protoreflect.MethodDescriptor, error) {
	found, err := files.FindDescriptorByName(protoreflect.FullName(strings.ReplaceAll(path, "/", ".")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found.(protoreflect.MethodDescriptor), nil
}

func (c *call) wait() {
	c.lock.Lock()
	defer c.lock.Unlock()
	for c.allowed == 0 {
		c.more.Wait()
	}
	if c.allowed > 0 {
		c.allowed--
	}
}

func told(number int, message proto.Message) {
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	if err != nil {
		panic(err)
	}
	say(map[string]interface{}{"call": number, "message": json.RawMessage(text)})
}

func ended(number int, err error, headers, trailers metadata.MD) {
	said, _ := status.FromError(err)
	flattened := flat(trailers)
	if len(said.Details()) > 0 {
		// The library keeps them out of the trailers.
		raw, err := v1.Marshal(said.Proto())
		if err != nil {
			panic(err)
		}
		flattened["grpc-status-details-bin"] = base64.StdEncoding.EncodeToString(raw)
	}
	say(map[string]interface{}{"call": number, "code": int(said.Code()), "text": said.Message(),
		"headers": flat(headers), "trailers": flattened})
}

func run(ctx context.Context, asked order, c *call) {
	defer c.cancel()
	described, err := method(asked.Method)
	if err != nil {
		// A method that no schema has: any message will do.
		described, _ = method("heddle.v1.ServerService/Status")
	}
	var requests []proto.Message
	for _, text := range asked.Requests {
		request := dynamicpb.NewMessage(described.Input())
		if err := protojson.Unmarshal(text, request); err != nil {
			panic(err)
		}
		requests = append(requests, request)
	}
	path := "/" + asked.Method
	if !described.IsStreamingServer() {
		var headers, trailers metadata.MD
		answer := dynamicpb.NewMessage(described.Output())
		err := channel.Invoke(ctx, path, requests[0], answer, grpc.Header(&headers), grpc.Trailer(&trailers))
		if err == nil {
			told(asked.Call, answer)
		}
		ended(asked.Call, err, headers, trailers)
		return
	}
	kind := &grpc.StreamDesc{ServerStreams: true, ClientStreams: described.IsStreamingClient()}
	stream, err := channel.NewStream(ctx, kind, path)
	for _, request := range requests {
		if err == nil {
			err = stream.SendMsg(request)
		}
	}
	if err == nil {
		err = stream.CloseSend()
	}
	if err != nil && err != io.EOF {
		ended(asked.Call, err, nil, nil)
		return
	}
	for {
		c.wait()
		answer := dynamicpb.NewMessage(described.Output())
		if err = stream.RecvMsg(answer); err != nil {
			break
		}
		told(asked.Call, answer)
	}
	if err == io.EOF {
		err = nil
	}
	headers, _ := stream.Header()
	ended(asked.Call, err, headers, stream.Trailer())
}

func begin(asked order) {
	ctx, cancel := context.WithCancel(context.Background())
	if asked.TimeoutMs > 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(asked.TimeoutMs)*time.Millisecond)
	}
	for _, pair := range asked.Metadata {
		value := pair[1]
		if strings.HasSuffix(pair[0], "-bin") {
			raw, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				panic(err)
			}
			value = string(raw)
		}
		ctx = metadata.AppendToOutgoingContext(ctx, pair[0], value)
	}
	c := &call{cancel: cancel, allowed: -1}
	c.more = sync.NewCond(&c.lock)
	if asked.Read != nil {
		c.allowed = *asked.Read
	}
	calls[asked.Call] = c
	go run(ctx, asked, c)
}

// Calls without pause on connections of their own, four at a time on each; says how many there were and what was lost.
func load(seconds, channels int) {
	described, err := method("heddle.v1.ServerService/Status")
	if err != nil {
		panic(err)
	}
	var made int64
	var lock sync.Mutex
	lost := map[string]int{}
	var all sync.WaitGroup
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for i := 0; i < channels; i++ {
		channel, err := grpc.Dial(os.Args[2], grpc.WithInsecure())
		if err != nil {
			panic(err)
		}
		for j := 0; j < 4; j++ {
			all.Add(1)
			go func() {
				defer all.Done()
				for time.Now().Before(end) {
					answer := dynamicpb.NewMessage(described.Output())
					err := channel.Invoke(context.Background(), "/heddle.v1.ServerService/Status",
						dynamicpb.NewMessage(described.Input()), answer)
					atomic.AddInt64(&made, 1)
					if err != nil {
						lock.Lock()
						lost[err.Error()]++
						lock.Unlock()
					}
				}
			}()
		}
	}
	all.Wait()
	say(map[string]interface{}{"calls": made, "lost": lost})
}

func main() {
	encoding.RegisterCodec(codec{})
	raw, err := os.ReadFile(os.Args[1])
	set := &descriptorpb.FileDescriptorSet{}
	if err == nil {
		err = proto.Unmarshal(raw, set)
	}
	if err == nil {
		files, err = protodesc.NewFiles(set)
	}
	if err == nil {
		channel, err = grpc.Dial(os.Args[2], grpc.WithInsecure(),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)))
	}
	if err != nil {
		panic(err)
	}
	if len(os.Args) == 6 && os.Args[3] == "load" {
		seconds, _ := strconv.Atoi(os.Args[4])
		channels, _ := strconv.Atoi(os.Args[5])
		load(seconds, channels)
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var asked order
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		running := calls[asked.Call]
		switch {
		case running == nil:
			begin(asked)
		case asked.Cancel:
			running.cancel()
		case asked.Read != nil:
			running.lock.Lock()
			if running.allowed += *asked.Read; *asked.Read < 0 {
				running.allowed = -1
			}
			running.lock.Unlock()
			running.more.Signal()
		}
	}
}
