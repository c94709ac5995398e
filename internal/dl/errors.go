package dl

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
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

// ErrSymbolNotFound matches every error of a missing symbol: see [errors.Is].
var ErrSymbolNotFound = errors.New("symbol not found")

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

	label   string // in front of Version; "" for API
	release string // what else the vendor calls Version; "" if nothing
	differs bool   // Version says nothing about Since
}

// Error names the version that introduced the function, the version of the library, and what to do.
func (e *SymbolError) Error() string {
	lack, remedy := e.Lack()
	ask := fmt.Sprintf("ask Has(%q) before the call", e.Symbol)
	if remedy != "" {
		ask = remedy + ", or " + ask
	}
	return "symbol not found: " + lack + "; " + ask
}

// Lack returns what the library lacks, with both versions, and the remedy; "" if an update may not
// help.
func (e *SymbolError) Lack() (lack, remedy string) {
	version := "of unknown version"
	if e.Version != "" {
		version = cmp.Or(e.label, e.API) + " " + e.Version
		if e.release != "" {
			version += ", " + e.release
		}
	}
	came := "came with " + e.API + " " + e.Since
	if span, ok := strings.CutPrefix(e.Since, after); ok {
		came = "came after " + e.API + " " + span
	}
	is, remedy := "and", e.Update
	does := "does not have it"
	if e.Version != "" && !e.differs && !older(e.Version, bound(e.Since)) {
		// Declared before it was exported, or withdrawn: vendors do both.
		is, does, remedy = "but", "does not export it, and an update may not bring it", ""
	}
	return fmt.Sprintf("%s %s, %s %s (%s) %s", e.Symbol, came, is, e.Library, version, does), remedy
}

// Is makes every SymbolError match [ErrSymbolNotFound].
func (e *SymbolError) Is(target error) bool { return target == ErrSymbolNotFound }
