package dl

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gpuevent/gpuevent/liberr"
)

// The errors of this package, which users know by these names.
type (
	Attempt      = liberr.Attempt
	LibraryError = liberr.LibraryError
	SymbolError  = liberr.SymbolError
	LayoutError  = liberr.LayoutError
)

// Their causes, for [errors.Is].
var (
	ErrLibraryNotFound = liberr.ErrLibraryNotFound
	ErrSymbolNotFound  = liberr.ErrSymbolNotFound
	ErrLayout          = liberr.ErrLayout
)

// symbolError returns the error of a function that the open library lacks. The caller holds l.mu.
func (l *Library) symbolError(p *Proc) *SymbolError {
	e := &SymbolError{Symbol: p.Symbol, Since: p.Since, API: l.API, Library: l.path,
		Version: l.version(), Update: l.Update, Updatable: true}
	version := "of unknown version"
	if e.Version != "" {
		version = cmp.Or(l.Version.Label, e.API) + " " + e.Version
		if release := l.Version.release(e.Version); release != "" {
			version += ", " + release
		}
	}
	came := "came with " + e.API + " " + e.Since
	if span, ok := strings.CutPrefix(e.Since, after); ok {
		came = "came after " + e.API + " " + span
	}
	is, does := "and", "does not have it"
	if e.Version != "" && !l.Version.Differs && !older(e.Version, bound(e.Since)) {
		// Declared before it was exported, or withdrawn: vendors do both.
		is, does = "but", "does not export it, and an update may not bring it"
		e.Updatable = false
	}
	e.Lack = fmt.Sprintf("%s %s, %s %s (%s) %s", e.Symbol, came, is, e.Library, version, does)
	return e
}
