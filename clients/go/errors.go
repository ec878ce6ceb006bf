package heddle

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"heddle.dev/go/heddlepb"
)

// Kind says what went wrong with a call.
type Kind string

// The kinds of errors.
const (
	// Refused: the server answered with an error.
	Refused Kind = "Refused"
	// CannotConnect: no server could be reached, and nothing was sent.
	CannotConnect Kind = "CannotConnect"
	// Lost: the connection ended before the answer came.
	Lost Kind = "Lost"
	// TimedOut: the call's time was over.
	TimedOut Kind = "TimedOut"
	// Protocol: the server sent something that no server of this protocol sends.
	Protocol Kind = "Protocol"
	// TooLarge: a message is larger than a frame may be.
	TooLarge Kind = "TooLarge"
	// Closed: the client is closed.
	Closed Kind = "Closed"
	// Cancelled: the program's context was cancelled.
	Cancelled Kind = "Cancelled"
	// TurnFailed: a turn ended without a result.
	TurnFailed Kind = "TurnFailed"
)

// Error is every error of this package: errors.As finds it.
type Error struct {
	Kind Kind
	// Code of a refusal, such as NOT_FOUND.
	Code string
	// Reason is a stable name to switch on (docs/errors.md), of a refusal or a turn that failed.
	Reason  string
	Message string
	// Details are facts about the error, as text by name.
	Details map[string]string
	// RetryAfter is the time to wait before the next attempt, or 0.
	RetryAfter time.Duration
	// DebugID names the line in the server's log, or is empty.
	DebugID string
	// Attempts is how often the call was sent, or was tried to be sent.
	Attempts int
	// MayHaveHappened: a change may have been made although no answer came. The same call with the same key tells.
	MayHaveHappened bool
	// Status is FAILED or INTERRUPTED, and Text what came until then, of a turn.
	Status string
	Text   string

	// The server has said that it did not serve the call.
	unserved bool
	cause    error
}

func (e *Error) Error() string {
	text := e.Message
	if e.Kind == Refused {
		text = fmt.Sprintf("%s %s: %s", e.Code, e.Reason, e.Message)
	}
	names := make([]string, 0, len(e.Details))
	for name := range e.Details {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		text += fmt.Sprintf(" (%s: %s)", name, e.Details[name])
	}
	return "heddle: " + text
}

// Unwrap gives the cause: the context's error, or why the server ended the connection.
func (e *Error) Unwrap() error { return e.cause }

// IsReason reports whether err is a refusal, or a failed turn, with this reason.
func IsReason(err error, reason string) bool {
	var found *Error
	return errors.As(err, &found) && found.Reason == reason
}

func newError(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Attempts: 1}
}

// Each call gets an error of its own, because attempts are counted in it.
func (e *Error) copied() *Error {
	own := *e
	return &own
}

func refused(from *heddlepb.Error) *Error {
	code, known := codeNames[int32(from.GetCode())]
	if !known {
		code = fmt.Sprint(int32(from.GetCode()))
	}
	made := &Error{Kind: Refused, Code: code, Reason: from.GetReason(), Message: from.GetMessage(), DebugID: from.GetDebugId(),
		RetryAfter: time.Duration(from.GetRetryAfterMs()) * time.Millisecond, Attempts: 1, Details: map[string]string{}}
	for _, detail := range from.GetDetails() {
		made.Details[detail.GetName()] = detail.GetValue()
	}
	return made
}

// Why the server ended a connection, or the error itself.
func (e *Error) reasonBehind() *Error {
	var behind *Error
	if e.Kind == Lost && errors.As(e.cause, &behind) && behind.Kind == Refused {
		return behind
	}
	return e
}

// What the calls of a connection that has ended hear: they may have been served.
func lostBy(cause *Error) *Error {
	return &Error{Kind: Lost, Message: strings.TrimPrefix(cause.Error(), "heddle: "), Attempts: 1, cause: cause}
}
