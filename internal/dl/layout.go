package dl

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// Layout says for which versions of a library a Go struct is right. Vendors change structs without
// changing the names of the functions that take them. It is checked when a function is looked up,
// so that a call does not pay for it.
type Layout struct {
	Struct string // the C name
	From   string // the first version with this layout, as the library counts
	// Below is the first version that may have another layout; "" if none is known.
	Below string
}

// ErrLayout matches every error of a struct that the open library lays out differently: see
// [errors.Is].
var ErrLayout = errors.New("struct has another layout")

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

// check compares the layout with the version of the open library. The caller holds l.mu.
func (y *Layout) check(l *Library, symbol string) error {
	v := l.version()
	if v != "" && versions.Compare(v, y.From) >= 0 &&
		(y.Below == "" || versions.Compare(v, y.Below) < 0) {
		return nil
	}
	return &LayoutError{Symbol: symbol, Struct: y.Struct, From: y.From, Below: y.Below,
		API: cmp.Or(l.Version.Label, l.API), Library: l.path, Version: v, Update: l.Update}
}
