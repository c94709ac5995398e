package main

import (
	"errors"
	"fmt"
)

// ErrUnreachable is the error of a package that this machine can't get at: named, skipped, and not
// a failure.
var ErrUnreachable = errors.New("unreachable")

// ErrMismatch is the error of a file that isn't the one that was pinned.
var ErrMismatch = errors.New("checksum mismatch")

// ErrUnsafe is the error of an archive that would write outside its folder.
var ErrUnsafe = errors.New("unsafe archive entry")

// ErrWanted is the error of a package that lacks a wanted file.
var ErrWanted = errors.New("wanted file missing")

// UnreachableError names the package and why it is not available.
type UnreachableError struct {
	Package string
	Reason  string
	// Down says that the whole index did not answer, so that asking it again is a waste of time.
	Down bool
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s is unreachable: %s", e.Package, e.Reason)
}

// Is makes errors.Is(err, ErrUnreachable) work.
func (e *UnreachableError) Is(target error) bool { return target == ErrUnreachable }

// MismatchError names both checksums.
type MismatchError struct {
	Package        string
	Expected, Got  string
	ExpectedSource string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: checksum mismatch: expected sha256 %s (%s), got %s: if the release was "+
		"really replaced, check it and correct the pin",
		e.Package, e.Expected, e.ExpectedSource, e.Got)
}

// Is makes errors.Is(err, ErrMismatch) work.
func (e *MismatchError) Is(target error) bool { return target == ErrMismatch }
