// gRPC in Go with a dictionary of threads in memory; a thread exists from its first update on.
// usage: server PORT
package main

import (
	"context"
	"log"
	"net"
	"os"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"heddle-bench/peers"
)

type thread struct {
	sequence, revision uint64
	settings           peers.Settings
}

type server struct {
	guard   sync.Mutex
	threads map[[16]byte]*thread
}

func (s *server) Update(_ context.Context, request *peers.UpdateSettingsRequest) (*peers.UpdateSettingsResponse, error) {
	var id [16]byte
	if copy(id[:], request.Thread) != 16 || len(request.Thread) != 16 {
		return nil, status.Error(codes.InvalidArgument, "thread: 16 bytes")
	}
	s.guard.Lock()
	defer s.guard.Unlock()
	t := s.threads[id]
	if t == nil {
		t = &thread{sequence: 1, settings: peers.Settings{
			Model: "scripted", ModelProvider: "scripted", ReasoningEffort: "medium",
			WorkingFolder: "/home/somebody/projects/weaving",
			DeveloperInstructions: "Answer briefly. Say what you changed, and why, and what you did not look at. " +
				"Ask before you remove a file."}}
		s.threads[id] = t
	}
	changed := false
	if set, ok := request.GetChange().GetMode().GetChoice().(*peers.ModeSelection_Set); ok && set.Set != t.settings.Mode {
		t.settings.Mode = set.Set
		t.sequence++
		t.revision++
		changed = true
	}
	// The answer is encoded after this returns, so it gets a copy.
	copied := &peers.Settings{
		Model: t.settings.Model, ModelProvider: t.settings.ModelProvider, ReasoningEffort: t.settings.ReasoningEffort,
		DeveloperInstructions: t.settings.DeveloperInstructions, Mode: t.settings.Mode,
		WorkingFolder: t.settings.WorkingFolder}
	return &peers.UpdateSettingsResponse{
		Sequence: t.sequence, Revision: t.revision, Changed: changed, Settings: copied}, nil
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	service := grpc.NewServer()
	peers.RegisterSettingsServiceServer(service, &server{threads: map[[16]byte]*thread{}})
	log.Fatal(service.Serve(listener))
}
