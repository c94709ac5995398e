package dl

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/versions"
)

// Version says how a library tells its version.
type Version struct {
	// Symbol is the C function that does, which returns 0 for success; "" if there is none.
	Symbol string
	Reads  Reading
	// Format is what the parts of a [Number] are multiplied by: 12040 is 12.4 with 1000 and 10.
	Format []int
	// Parts is how many parts [Numbers] and [Struct] have.
	Parts int
	// Label is in front of the version in messages; "" for the library's API.
	Label string
	// Releases are the vendor's releases that count differently from the library.
	Releases []Release
	// Differs says that the library counts differently from its headers, so that its version does not
	// tell which functions it should have.
	Differs bool
}

// Release is what else the vendor calls the versions of a library that begin with Version. A list
// of them, unlike a map, needs no initialization, which would link the libraries that have one into
// every program.
type Release struct {
	Version string // "7.15"
	Name    string // "Toy 10.0"
}

// Reading is what a version function writes.
type Reading uint8

const (
	// Number is an int.
	Number Reading = iota
	// Numbers are parameters int * for one part each.
	Numbers
	// Struct begins with an unsigned 32-bit member for each part.
	Struct
	// Text is a string; the second argument is the size of its memory.
	Text
)

// Text formats the number that a function writes: 12040 is "12.4".
func (v *Version) Text(number int) string { return versions.Parts(number, v.Format) }

// release is the vendor's release of a version, "" for one that counts alike.
func (v *Version) release(version string) string {
	for _, r := range v.Releases {
		if version == r.Version || strings.HasPrefix(version, r.Version+".") {
			return r.Name
		}
	}
	return ""
}

func dotted(parts []int) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = strconv.Itoa(p)
	}
	return strings.Join(texts, ".")
}

// version returns the version of the open library; "" if the call fails. The caller holds l.mu.
func (l *Library) version() string {
	v := &l.Version
	if l.told != "" || v.Symbol == "" {
		return l.told
	}
	fn := l.table(v.Symbol)
	if fn == 0 {
		return ""
	}
	out := ccall.NewOut()
	defer out.Free(ccall.OutWords)
	r := ccall.Regs{Fn: fn, A: [ccall.MaxRegs]uintptr{out.Word(0)}}
	parts := make([]int, v.Parts)
	switch v.Reads {
	case Numbers:
		for i := range parts {
			r.A[i] = out.Word(i)
		}
	case Text:
		r.A[1] = ccall.OutWords * 8
	}
	if r.Call() != 0 {
		return ""
	}
	defer runtime.KeepAlive(out)
	switch v.Reads {
	case Numbers:
		for i := range parts {
			parts[i] = int(*(*int32)(out.At(i)))
		}
	case Struct:
		members := (*[ccall.OutWords * 2]uint32)(out.At(0))
		for i := range parts {
			parts[i] = int(members[i])
		}
	case Text:
		out.W[ccall.OutWords-1] = 0 // a string without an end has one
		return ccall.GoString(out.At(0))
	default:
		return v.Text(int(*(*int32)(out.At(0))))
	}
	return dotted(parts)
}
