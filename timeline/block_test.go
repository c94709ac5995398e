package timeline

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// anyRecord returns a record of any content.
func anyRecord(r *rand.Rand, labels []*label) record {
	number := func() int64 {
		return [...]int64{0, 1, -1, r.Int64N(1000), r.Int64(), -r.Int64(), math.MinInt64,
			math.MaxInt64}[r.IntN(8)]
	}
	it := record{kind: Kind(r.IntN(len(kindNames))), id: uint64(number()),
		name: oddNames()[r.IntN(25)], start: number(), end: number(), bound: number(),
		lane: labels[r.IntN(len(labels))], endLane: labels[r.IntN(len(labels))]}
	if r.IntN(2) == 0 {
		it.parent, it.from, it.early = uint64(number()), uint64(number()), number()
		it.value = r.NormFloat64()
	}
	for range r.IntN(2) * r.IntN(MaxAttrs+1) {
		it.attrs = append(it.attrs, [...]Attr{Int("int", number()), Float("float", r.Float64()),
			Bool("bool", true), String(oddNames()[r.IntN(25)], oddNames()[r.IntN(25)])}[r.IntN(4)])
	}
	return it
}

// TestBlocks writes records of any content and reads them back.
func TestBlocks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	labels := []*label{nil, new(label), new(label)}
	for range 200 {
		b := newBlock(r.IntN(2) == 0)
		var want []record
		for range r.IntN(300) {
			it := anyRecord(r, labels)
			size := len(b.data)
			b.put(&it)
			require.LessOrEqual(t, len(b.data)-size, mostBytes)
			want = append(want, it)
		}
		frozen := b.frozen()
		more := anyRecord(r, labels)
		b.put(&more)
		b.seal()
		var got []record
		frozen.decode(func(r *record) {
			it := *r
			it.attrs = append([]Attr(nil), r.attrs...)
			got = append(got, it)
		})
		assert.Equal(t, want, got)
	}
}

// TestRingTakesFewBytes counts the bytes of spans like those of a busy stream.
func TestRingTakesFewBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	const n = 100_000
	ring := ring{most: n}
	lanes := []*label{new(label), new(label)}
	names := []string{"gemm", "copy", "norm"}
	at := int64(0)
	for id := range uint64(n) {
		at += r.Int64N(2000)
		length := r.Int64N(50_000)
		l := lanes[r.IntN(2)]
		ring.put(&record{id: id + 1, name: names[r.IntN(3)], lane: l, endLane: l, start: at,
			end: at + length, bound: 4000 + r.Int64N(100)})
		at += length
	}
	size := 0
	for _, b := range ring.blocks {
		size += cap(b.data)
	}
	assert.Less(t, size, 12*n)
}
