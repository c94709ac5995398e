package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// schema is part of each key. Raise it when what is compiled from a request, or the form of
// entries, changes.
const schema = 1

// Key is the digest of all that a result depends on.
type Key [sha256.Size]byte

// String returns the key in hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// KeyOf returns the key of a request to the compiler of a backend, "cuda" or "hip". identity is the
// Key of the compiler's identity.
func KeyOf(backend string, r compiler.Request, identity string) Key {
	d := digest{sha256.New()}
	d.number(schema)
	d.text(backend)
	d.text(identity)
	d.text(r.Text)
	d.text(r.FileName())
	d.text(r.Target)
	d.number(len(r.Headers))
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		d.text(name)
		d.text(r.Headers[name])
	}
	d.texts(r.Options) // their order matters
	names := slices.Clone(r.Names)
	slices.Sort(names)
	d.texts(slices.Compact(names))
	return Key(d.Sum(nil))
}

// digest takes each text with its length in front, so that no two lists of texts are one.
type digest struct{ hash.Hash }

func (d digest) number(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	d.Write(b[:])
}

func (d digest) text(s string) {
	d.number(len(s))
	d.Write([]byte(s))
}

func (d digest) texts(list []string) {
	d.number(len(list))
	for _, s := range list {
		d.text(s)
	}
}
