// grpc-go (Debian's golang-google-grpc-dev) with the messages of the Go client: see README.md.
package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/proto"
	"heddle.dev/go/heddlepb"
)

// The codec of grpc-go 1.33 knows only messages of the first Go API.
type codec struct{}

func (codec) Marshal(v interface{}) ([]byte, error)      { return proto.Marshal(v.(proto.Message)) }
func (codec) Unmarshal(data []byte, v interface{}) error { return proto.Unmarshal(data, v.(proto.Message)) }
func (codec) Name() string                               { return "proto" }

func cpu() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func main() {
	encoding.RegisterCodec(codec{})
	thread, _ := hex.DecodeString(strings.ReplaceAll(os.Args[3], "-", ""))
	depth, _ := strconv.Atoi(os.Args[4])
	count, _ := strconv.Atoi(os.Args[5])
	channel, err := grpc.Dial(os.Args[2], grpc.WithInsecure(), grpc.WithBlock())
	if err != nil {
		log.Fatal(err)
	}
	all := func(number int) {
		var group sync.WaitGroup
		for i := 0; i < depth; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				for i := 0; i < number/depth; i++ {
					ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
					answer := &heddlepb.ReadSettingsResponse{}
					asked := &heddlepb.ReadSettingsRequest{Thread: thread}
					if err := channel.Invoke(ctx, "/heddle.v1.SettingsService/Read", asked, answer); err != nil {
						log.Fatal(err)
					}
					cancel()
				}
			}()
		}
		group.Wait()
	}
	all(count / 10)
	began, used := time.Now(), cpu()
	all(count)
	fmt.Printf("{\"cpu\":%g,\"seconds\":%g}\n", (cpu() - used).Seconds(), time.Since(began).Seconds())
}
