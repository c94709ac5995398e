package dl

import (
	"cmp"

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
