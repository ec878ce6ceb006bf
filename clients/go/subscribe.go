package heddle

import (
	"google.golang.org/protobuf/proto"
	"heddle.dev/go/heddlepb"
)

// SubscribeOption says what a subscription brings.
type SubscribeOption func(*heddlepb.SubscribeRequest)

// After asks for the events after this one; 0: all of them. Without it only new ones come.
func After(sequence uint64) SubscribeOption {
	return func(r *heddlepb.SubscribeRequest) { r.After = proto.Uint64(sequence) }
}

// InEpoch names the epoch that After belongs to.
func InEpoch(epoch uint64) SubscribeOption {
	return func(r *heddlepb.SubscribeRequest) { r.Epoch = proto.Uint64(epoch) }
}

// WithTree asks for the agents below the thread too; such a message has Thread.
func WithTree() SubscribeOption { return func(r *heddlepb.SubscribeRequest) { r.Tree = true } }

// Only asks for some kinds of messages.
func Only(kinds ...heddlepb.SubscriptionKind) SubscribeOption {
	return func(r *heddlepb.SubscribeRequest) { r.Kinds = kinds }
}

// CreditOf sets the bytes that may wait for the program.
func CreditOf(bytes uint32) SubscribeOption {
	return func(r *heddlepb.SubscribeRequest) { r.Credit = proto.Uint32(bytes) }
}
