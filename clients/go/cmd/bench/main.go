// The Go client's CPU: Benchmarks/clients/README.md.
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

	"heddle.dev/go"
	"heddle.dev/go/heddlepb"
)

var (
	began  time.Time
	used   time.Duration
	before int
)

func cpu() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func memory() int {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			size, _ := strconv.Atoi(fields[1])
			return size
		}
	}
	return 0
}

func begin() { began, used, before = time.Now(), cpu(), memory() }

func report() {
	fmt.Printf("{\"cpu\":%g,\"seconds\":%g,\"memory\":%d}\n", (cpu() - used).Seconds(), time.Since(began).Seconds(), memory()-before)
}

func calls(ctx context.Context, client *heddle.Client, thread []byte, depth, count int) {
	all := func(number int) {
		var group sync.WaitGroup
		for range depth {
			group.Add(1)
			go func() {
				defer group.Done()
				for range number / depth {
					if _, err := client.Settings.Read(ctx, &heddlepb.ReadSettingsRequest{Thread: thread}); err != nil {
						log.Fatal(err)
					}
				}
			}()
		}
		group.Wait()
	}
	all(count / 10)
	begin()
	all(count)
	report()
}

func events(ctx context.Context, client *heddle.Client, thread []byte, count int) {
	begin()
	taken := 0
	for message, err := range client.Subscribe(ctx, thread, heddle.After(0)).Events() {
		if err != nil {
			log.Fatal(err)
		}
		if message.GetEvent() != nil {
			taken++
		}
		if taken == count/10 {
			before = memory()
		}
		if taken == count {
			break
		}
	}
	report()
}

func main() {
	ctx := context.Background()
	thread, _ := hex.DecodeString(strings.ReplaceAll(os.Args[3], "-", ""))
	client, err := heddle.Dial(ctx, "heddle://"+os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	number := func(place int) int {
		value, _ := strconv.Atoi(os.Args[place])
		return value
	}
	if os.Args[1] == "calls" {
		calls(ctx, client, thread, number(4), number(5))
	} else {
		events(ctx, client, thread, number(4))
	}
}
