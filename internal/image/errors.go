package image

import (
	"errors"
	"fmt"
)

// Errors of [Read].
var (
	// ErrNotImage says that the bytes are something else; the message names what.
	ErrNotImage = errors.New("not a GPU image")
	// ErrTruncated says that the image ends early, as a half-written or badly copied file does.
	ErrTruncated = errors.New("the image is truncated")
	// ErrMalformed says that the image contradicts itself.
	ErrMalformed = errors.New("the image is malformed")
)

// Error is why an image cannot be read.
type Error struct {
	Kind Kind   // [Unknown] if the bytes are no image
	What string // what the bytes are: "a cubin", "an x86-64 ELF file"
	Why  string // what is wrong with them, or what to do; may be empty
	Err  error  // [ErrNotImage], [ErrTruncated] or [ErrMalformed]
}

// Error names what the bytes are.
func (e *Error) Error() string {
	if e.Err == ErrNotImage {
		s := "image: " + e.What + ", not a GPU image"
		if e.Why != "" {
			s += ": " + e.Why
		}
		return s
	}
	return fmt.Sprintf("image: %s: %v: %s", e.What, e.Err, e.Why)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

func truncated(format string, args ...any) error {
	return &Error{Why: fmt.Sprintf(format, args...), Err: ErrTruncated}
}

func malformed(format string, args ...any) error {
	return &Error{Why: fmt.Sprintf(format, args...), Err: ErrMalformed}
}

// inKind completes an error of a reader.
func inKind(k Kind, err error) error {
	var e *Error
	if errors.As(err, &e) && e.What == "" {
		e.Kind, e.What = k, kinds[k].article
	}
	return err
}

func notImage(b []byte, k Kind) error {
	what, why := describe(b)
	return &Error{Kind: k, What: what, Why: why, Err: ErrNotImage}
}
