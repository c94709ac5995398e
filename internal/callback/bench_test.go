package callback

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkCallback is a call of a C function that calls a Go function, on a thread of Go.
func BenchmarkCallback(b *testing.B) {
	b.Run("registration", func(b *testing.B) {
		r := NewRef(&trampoline, fn(func(int) {}))
		defer r.Release()
		addr, key := r.Fn(), r.UserData()
		b.ReportAllocs()
		for b.Loop() {
			c(addr, key, 1)
		}
	})
	b.Run("slot", func(b *testing.B) {
		slot, err := slots.Take(sizeFn(func(n int) int { return n }))
		require.NoError(b, err)
		defer slots.Give(slot)
		b.ReportAllocs()
		for b.Loop() {
			c(slot.Addr(), 1)
		}
	})
}
