package dl

import (
	"errors"
	"fmt"
	"strings"
)

// Attempt is one path that was tried, and why it failed.
type Attempt struct{ Path, Reason string }

// LibraryError says that a vendor library could not be opened, and everything that was tried. It is an [ErrLibraryNotFound].
type LibraryError struct {
	Library  string // "CUDA driver library"
	Source   string // where the paths came from, if not from the built-in search
	Env      string // the environment variable that overrides the search
	Remedy   string
	Attempts []Attempt
}

func (e *LibraryError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s not found", e.Library)
	if e.Source != "" {
		fmt.Fprintf(&b, " (only %s searched)", e.Source)
	}
	for i, a := range e.Attempts {
		sep := "; "
		if i == 0 {
			sep = ": tried "
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, a.Path, a.Reason)
	}
	if len(e.Attempts) == 0 {
		b.WriteString(": there is none for this platform")
	}
	fmt.Fprintf(&b, ". %s, or set %s to its path", e.Remedy, e.Env)
	return b.String()
}

// Is makes every LibraryError an [ErrLibraryNotFound].
func (e *LibraryError) Is(target error) bool { return target == ErrLibraryNotFound }

// ErrSymbolNotFound is what every error of a missing symbol is: see [errors.Is].
var ErrSymbolNotFound = errors.New("symbol not found")

// SymbolError says that the library, which is there, lacks a function. It is an [ErrSymbolNotFound].
type SymbolError struct {
	Symbol  string // the exported C name
	Since   string // the API version that introduced it
	API     string // "CUDA" or "ROCm"
	Library string // the path or name the library was opened by
	Version string // the version that the library says it has; "" if it doesn't tell
	Update  string // how to get a newer one
}

func (e *SymbolError) Error() string {
	version := "of unknown version"
	if e.Version != "" {
		version = e.API + " " + e.Version
	}
	is, remedy := "and", fmt.Sprintf("does not have it; %s, or ask", e.Update)
	if e.Version != "" && !older(e.Version, e.Since) {
		// Declared too early, or withdrawn: the vendors do both.
		is, remedy = "but", "does not export it, and an update may not bring it; ask"
	}
	return fmt.Sprintf("symbol not found: %s came with %s %s, %s %s (%s) %s Has(%q) before the call",
		e.Symbol, e.API, e.Since, is, e.Library, version, remedy, e.Symbol)
}

// older tells whether version a came before b, by major and minor number: the third number of a library is not that of its headers.
func older(a, b string) bool {
	var x, y [2]int
	fmt.Sscanf(a, "%d.%d", &x[0], &x[1]) // what does not parse stays 0
	fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
}

// Is makes every SymbolError an [ErrSymbolNotFound].
func (e *SymbolError) Is(target error) bool { return target == ErrSymbolNotFound }
