package pxd

import (
	"slices"
	"strings"
)

// Type is what is compared of a C type: what is at the end of its pointers, whether that is const,
// and how many pointers lead there. Arrays keep their lengths.
type Type struct {
	Base    string
	Const   bool
	Stars   int
	Lengths string // "[2]" of an array
}

// String spells the type as C does.
func (t Type) String() string {
	s := t.Base
	if t.Const {
		s = "const " + s
	}
	if t.Stars > 0 {
		s += " " + strings.Repeat("*", t.Stars)
	}
	return s + t.Lengths
}

// Spelled takes a spelled type apart: "const toyBlock_st *".
func Spelled(s string) Type {
	var t Type
	if i := strings.IndexByte(s, '['); i >= 0 {
		s, t.Lengths = s[:i], s[i:]
	}
	t.Stars = strings.Count(s, "*")
	s, _, _ = strings.Cut(s, "*") // behind it, only pointers themselves can be const
	words := strings.Fields(s)
	if i := slices.Index(words, "const"); i >= 0 {
		t.Const, words = true, slices.Delete(words, i, i+1)
	}
	if len(words) > 1 && slices.Contains([]string{"struct", "union", "enum"}, words[0]) {
		words = words[1:]
	}
	t.Base = strings.Join(words, " ")
	return t
}

// Resolve follows typedefs; of gives what a name stands for, or "".
func (t Type) Resolve(of func(name string) string) Type {
	for range 16 { // a chain of typedefs is short, and a wrong one might be a circle
		next := of(t.Base)
		if next == "" {
			break
		}
		n := Spelled(next)
		if n.Base == t.Base && n.Stars == 0 {
			break
		}
		t = Type{n.Base, n.Const || t.Const && n.Stars == 0, t.Stars + n.Stars, t.Lengths + n.Lengths}
	}
	return t
}
