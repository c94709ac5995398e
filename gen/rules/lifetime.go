package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
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

var (
	endWord = regexp.MustCompile(
		`(?i)(un|de)register|unsubscribe|remove|destroy|release|free|end|stop|cancel`)
	register = regexp.MustCompile(`(?i)register`)
)

// ends returns why a function can't end the registration of a callback at a place; "" if it can. It
// takes what the registering function returned or was given, and has the same name but for one
// word if both register.
func (c *checker) ends(place, end string) string {
	if !endWord.MatchString(end) {
		return "its name says nothing of an end"
	}
	of, e := ParsePlace(place).Of, c.functions[end]
	for _, name := range sortedKeys(c.functions) {
		f := c.functions[name]
		given := slices.ContainsFunc(f.Params,
			func(q model.Param) bool { return q.Type == model.Type(of) })
		own := slices.ContainsFunc(f.Params, func(q model.Param) bool {
			_, ok := c.r.Facts.Callback[f.Name+"."+q.Name]
			return ok && f.Name != of
		})
		if f.Name != of && !given || own {
			continue
		}
		for _, prefix := range []string{"Un", "De", "un", "de"} {
			other := register.ReplaceAllStringFunc(f.Name, func(w string) string {
				return prefix + strings.ToLower(w)
			})
			if c.functions[other] != nil && other != f.Name && other != end {
				return other + " ends what " + f.Name + " begins"
			}
		}
		shared := slices.ContainsFunc(e.Params, func(q model.Param) bool {
			return slices.ContainsFunc(f.Params, func(p model.Param) bool {
				return p.Type == q.Type || p.Type == q.Type+" *" && c.types[string(q.Type)] == "handle"
			})
		})
		if !shared {
			return "it takes nothing that " + f.Name + " takes or returns"
		}
	}
	return ""
}
