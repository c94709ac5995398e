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
	Cure     string
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
	fmt.Fprintf(&b, ". %s, or set %s to its path", e.Cure, e.Env)
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
}

func (e *SymbolError) Error() string {
	version := "of unknown version"
	if e.Version != "" {
		version = e.API + " " + e.Version
	}
	return fmt.Sprintf("symbol not found: %s came with %s %s, and %s (%s) does not have it; update the driver, or ask Has(%q) before the call",
		e.Symbol, e.API, e.Since, e.Library, version, e.Symbol)
}

// Is makes every SymbolError an [ErrSymbolNotFound].
func (e *SymbolError) Is(target error) bool { return target == ErrSymbolNotFound }
