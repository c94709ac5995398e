package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// An entry is the mark, the digest of all that follows, the key, and the fields of the result, each
// with its length in front.
const (
	mark   = "gpuevent kernel\n"
	header = len(mark) + sha256.Size
)

// errDamaged: a file that is no whole entry of its key.
var errDamaged = errors.New("not a whole entry")

func encode(k Key, r *compiler.Result) []byte {
	b := make([]byte, header, header+len(r.Image)+len(r.Log)+1024)
	copy(b, mark)
	b = append(b, k[:]...)
	field := func(s string) {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	field(string(r.Image))
	for _, s := range []string{r.Kind, r.Target, r.Log, r.Compiler} {
		field(s)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Lowered)) {
		field(name)
		field(r.Lowered[name])
	}
	sum := sha256.Sum256(b[header:])
	copy(b[len(mark):], sum[:])
	return b
}

// decode returns the result in an entry. The image is part of b.
func decode(k Key, b []byte) (r compiler.Result, err error) {
	if len(b) < header+len(k) || string(b[:len(mark)]) != mark {
		return r, errDamaged
	}
	sum := sha256.Sum256(b[header:])
	if !bytes.Equal(sum[:], b[len(mark):header]) || !bytes.Equal(b[header:header+len(k)], k[:]) {
		return r, errDamaged
	}
	rest := b[header+len(k):]
	field := func() (f []byte) {
		if err != nil || len(rest) < 8 {
			err = errDamaged
			return nil
		}
		n := binary.LittleEndian.Uint64(rest)
		if rest = rest[8:]; n > uint64(len(rest)) {
			err = errDamaged
			return nil
		}
		f, rest = rest[:n:n], rest[n:]
		return f
	}
	r.Image = field()
	for _, s := range []*string{&r.Kind, &r.Target, &r.Log, &r.Compiler} {
		*s = string(field())
	}
	r.Lowered = map[string]string{}
	for err == nil && len(rest) > 0 {
		name := string(field())
		r.Lowered[name] = string(field())
	}
	if err != nil {
		return compiler.Result{}, err
	}
	return r, nil
}
