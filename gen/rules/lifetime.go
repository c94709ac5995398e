package rules

import (
	"fmt"
	"strings"
)

// Life is how long C may call a callback that it was given.
type Life int

// The lives of a callback's registration.
const (
	Once     Life = iota // C calls it once, later
	Call                 // C calls it only before the function returns
	ByObject             // any number of times, until what it was given to is gone
	Until                // any number of times, until a function ends it
)

// Lifetime is the life of a callback's registration: "once", "until:cuUnregister".
type Lifetime struct {
	Life Life
	End  string // of Until: the C function that ends it
}

// ParseLifetime reads a lifetime as the facts spell it.
func ParseLifetime(s string) (Lifetime, error) {
	if end, ok := strings.CutPrefix(s, "until:"); ok && end != "" {
		return Lifetime{Until, end}, nil
	}
	for life, word := range [...]string{"once", "call", "object"} {
		if word == s {
			return Lifetime{Life: Life(life)}, nil
		}
	}
	return Lifetime{}, fmt.Errorf("lifetime %q is none of once, call, object, until:<function>", s)
}

// UnmarshalText reads a lifetime of a rule file.
func (l *Lifetime) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLifetime(string(text))
	return err
}
