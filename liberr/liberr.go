// Package liberr has the errors of a vendor's library that is missing, or that lacks a function.
// The packages of all APIs share them and have them under the same names, such as
// cudrv.LibraryError. So one [errors.As] finds them, whichever vendor it is.
package liberr

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// The causes, for [errors.Is].
var (
	// ErrLibraryNotFound matches every [LibraryError].
	ErrLibraryNotFound = errors.New("library not found")
	// ErrSymbolNotFound matches every [SymbolError].
	ErrSymbolNotFound = errors.New("symbol not found")
	// ErrLayout matches every [LayoutError].
	ErrLayout = errors.New("struct has another layout")
)

// Attempt is one path that was tried, and why it failed.
type Attempt struct{ Path, Reason string }

// String returns "path: reason".
func (a Attempt) String() string { return a.Path + ": " + a.Reason }

// LibraryError reports that a vendor library could not be opened. Its text is one sentence;
// Attempts has everything that was tried. It matches [ErrLibraryNotFound].
type LibraryError struct {
	Library  string // "Toy driver library"
	Source   string // where the paths came from, if not from the built-in search
	Env      string // the environment variable that overrides the search
	Remedy   string // "install the Toy driver"
	Attempts []Attempt
}

// Error returns one sentence: what is missing, what to do, and where all attempts are listed.
func (e *LibraryError) Error() string {
	var tried string
	switch len(e.Attempts) {
	case 0:
		tried = "there is none for this platform"
	case 1:
		tried = "tried " + e.Attempts[0].String()
	default:
		tried = fmt.Sprintf("%d paths tried, see LibraryError.Attempts", len(e.Attempts))
	}
	if e.Source != "" {
		tried = "only " + e.Source + " searched; " + tried
	}
	return fmt.Sprintf("%s not found: %s, or set %s to the library's path (%s)",
		e.Library, e.Remedy, e.Env, tried)
}

// Is makes every LibraryError match [ErrLibraryNotFound].
func (e *LibraryError) Is(target error) bool { return target == ErrLibraryNotFound }

// SymbolError reports that the open library lacks a function. It matches [ErrSymbolNotFound].
type SymbolError struct {
	Symbol string // the exported C name
	// Since is the API version that introduced it: "12.8", "11.8 or earlier", or "after 5.7.1, by
	// 6.4.3" if headers between were not read.
	Since   string
	API     string // whose versions these are: "Toy"
	Library string // the path or name the library was opened by
	Version string // the version that the library reports; "" if it doesn't
	Update  string // how to update it
	// Lack is a sentence about what the library lacks, with both versions.
	Lack string
	// Updatable is false if the library is not older than Since: an update may not bring the function.
	Updatable bool
}

// Error names the version that introduced the function, the version of the library, and what to do.
func (e *SymbolError) Error() string {
	ask := fmt.Sprintf("ask Has(%q) before the call", e.Symbol)
	if e.Updatable {
		ask = e.Update + ", or " + ask
	}
	return "symbol not found: " + e.Lack + "; " + ask
}

// Is makes every SymbolError match [ErrSymbolNotFound].
func (e *SymbolError) Is(target error) bool { return target == ErrSymbolNotFound }

// LayoutError reports that a function of the open library reads or writes a struct whose layout is
// not that of the Go type. The function was not called. It matches [ErrLayout].
type LayoutError struct {
	Symbol  string // the exported C name of the function
	Struct  string // the C name of the struct
	From    string // the first version of the library that the Go type is right for
	Below   string // the first later one that it may be wrong for; "" for none
	API     string // whose versions these are
	Library string // the path or name the library was opened by
	Version string // the version that the library reports; "" if it doesn't
	Update  string // how to update it
}

// Error names the function, the struct, the versions and what to do.
func (e *LayoutError) Error() string {
	is := "of unknown version"
	if e.Version != "" {
		is = e.API + " " + e.Version
	}
	right := "from " + e.API + " " + e.From + " on"
	if e.Below != "" {
		right = "for " + e.API + " " + e.From + " and newer, below " + e.Below
	}
	remedy := e.Update
	if e.Below != "" && e.Version != "" && versions.Compare(e.Version, e.Below) >= 0 {
		remedy = "update this program's bindings"
	}
	return fmt.Sprintf("%v: %s takes %s, which in Go is right %s, but %s is %s; %s", ErrLayout,
		e.Symbol, e.Struct, right, e.Library, is, remedy)
}

// Is makes every LayoutError match [ErrLayout].
func (e *LayoutError) Is(target error) bool { return target == ErrLayout }
