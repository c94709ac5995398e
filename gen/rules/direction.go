package rules

import (
	"fmt"
	"strings"
)

// Way is how C uses the memory that a pointer parameter points to.
type Way int

// The ways of a parameter. Only Out, OutText and Text become Go results; a parameter of any other
// way stays a pointer of the caller.
const (
	In      Way = iota // read only, or an address that is not read through
	Out                // one value is written, whatever was there before
	InOut              // read and written
	Buffer             // the caller's memory, of the caller's size
	OutText            // the address of a text is written
	Text               // a text is written into a buffer, whose size another parameter says
)

var ways = [...]string{"in", "out", "inout", "buffer", "out:string", "string"}

// Direction is the way of a pointer parameter: "out", "in:optional", "string:len".
type Direction struct {
	Way      Way
	Optional bool   // NULL is allowed, and means something
	Length   string // of Text: the parameter that says how large the buffer is
}

// ParseDirection reads a direction as the facts spell it.
func ParseDirection(s string) (Direction, error) {
	text, optional := strings.CutSuffix(s, ":optional")
	d := Direction{Optional: optional}
	if length, ok := strings.CutPrefix(text, "string:"); ok && length != "" {
		d.Way, d.Length = Text, length
		return d, nil
	}
	for way, word := range ways[:Text] {
		if word == text {
			d.Way = Way(way)
			return d, nil
		}
	}
	return d, fmt.Errorf("direction %q is none of in, out, inout, buffer, out:string, "+
		"string:<length>", s)
}

// UnmarshalText reads a direction of a rule file.
func (d *Direction) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDirection(string(text))
	return err
}

// String spells the direction as the facts do.
func (d Direction) String() string {
	s := ways[d.Way]
	if d.Way == Text {
		s += ":" + d.Length
	}
	if d.Optional {
		s += ":optional"
	}
	return s
}

// Result reports whether Go gets what C writes as a result. What may be NULL stays a pointer, for
// the caller to decide.
func (d Direction) Result() bool {
	return d.Way == Out && !d.Optional || d.Way == OutText || d.Way == Text
}
