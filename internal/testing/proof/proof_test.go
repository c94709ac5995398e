package proof

import (
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/versions"
)

func TestArgumentsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for index := range 16 {
		for _, typ := range []reflect.Type{reflect.TypeFor[uint64](), reflect.TypeFor[int32](),
			reflect.TypeFor[[3]uint64](), reflect.TypeFor[string]()} {
			v, m, err := argument(typ, 42, index)
			require.NoError(t, err)
			assert.Nil(t, m)
			if typ.Kind() == reflect.String {
				seen[v.String()]++
				continue
			}
			seen[string(bytesOf(v))]++
			assert.NotContains(t, string(raw(v)), "\x00\x00\x00", "hardly a byte is zero")
		}
	}
	assert.Len(t, seen, 64, "no two arguments are alike")
}

func TestFloatArgumentsAreNumbers(t *testing.T) {
	t.Parallel()
	for index := range 64 {
		f, _, err := argument(reflect.TypeFor[float32](), 7, index)
		require.NoError(t, err)
		d, _, err := argument(reflect.TypeFor[float64](), 7, index)
		require.NoError(t, err)
		for _, x := range []float64{f.Float(), d.Float()} {
			assert.False(t, math.IsNaN(x) || math.IsInf(x, 0) || x == 0, "%v", x)
		}
	}
}

func TestPointerArgumentsHaveMemory(t *testing.T) {
	t.Parallel()
	for _, typ := range []reflect.Type{reflect.TypeFor[*uint64](), reflect.TypeFor[**byte](),
		reflect.TypeFor[*[3]float32](), reflect.TypeFor[unsafe.Pointer]()} {
		v, m, err := argument(typ, 3, 1)
		require.NoError(t, err)
		require.NotNil(t, m)
		assert.Equal(t, m.pointer(), v.UnsafePointer())
		assert.Zero(t, uintptr(m.pointer())%memoryAlign)
		assert.GreaterOrEqual(t, len(m.bytes), 256, "room for texts")
		assert.Equal(t, m.before, m.bytes)
		runtime.KeepAlive(m)
	}
	_, _, err := argument(reflect.TypeFor[chan int](), 3, 1)
	assert.ErrorContains(t, err, "chan int")
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"12.4", "12.10", -1}, {"13.0", "12.9", 1}, {"7.2", "7.2.0", 0}, {"3.2", "11.8", -1}} {
		got := versions.Compare(tt.a, tt.b)
		assert.Equal(t, tt.want < 0, got < 0, "%s %s", tt.a, tt.b)
		assert.Equal(t, tt.want > 0, got > 0, "%s %s", tt.a, tt.b)
	}
}

func TestSpanHas(t *testing.T) {
	t.Parallel()
	s := Span{Since: "11.8", Removed: "13.0"}
	s.Absent = append(s.Absent, struct{ From, To string }{"12.1", "12.2"})
	for v, want := range map[string]bool{"11.7": false, "11.8": true, "12.0": true, "12.1": false,
		"12.2": false, "12.3": true, "12.9": true, "13.0": false} {
		assert.Equal(t, want, s.Has(v), v)
	}
}

func TestProvedLeavesOutWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := new(Report)
	r.bad("f.param", "wrong")
	r.bad("f.param", "wrong")
	r.skip("g", "skipped")
	for _, name := range []string{"h", "f", "g", "h"} {
		r.saw(name)
	}
	assert.Len(t, r.Findings, 1, "the same finding counts once")
	assert.Equal(t, []string{"h"}, r.Proved())
	assert.Equal(t, "f.param: wrong", r.Findings[0].String())
}

func TestBitSpan(t *testing.T) {
	t.Parallel()
	word := new(uint64)
	b := Bits{Width: 5, Base: unsafe.Pointer(word),
		Get: func() uint64 { return *word >> 11 & 31 },
		Set: func(v uint64) { *word = *word&^(31<<11) | v&31<<11 }}
	first, n := b.span(8)
	assert.Equal(t, []int{11, 5}, []int{first, n})
	b.Get = func() uint64 { return 0 }
	first, n = b.span(8)
	assert.Equal(t, []int{-1, 0}, []int{first, n}, "a getter that does not see what the setter stored")
}

func TestLacks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		f    Function
		want []string // in 1.0, 2.0, 2.1 and 10.0
	}{
		"there":     {Function{}, []string{"", "", "", ""}},
		"in none":   {Function{Missing: "m"}, []string{"m", "m", "m", "m"}},
		"late":      {Function{Gap: Gap{"g", "", "2.1"}}, []string{"g", "g", "", ""}},
		"withdrawn": {Function{Gap: Gap{"g", "2.1", ""}}, []string{"", "", "g", "g"}},
		"broken":    {Function{Gap: Gap{"g", "2.0", "2.1"}}, []string{"", "g", "", ""}},
	} {
		var got []string
		for _, release := range []string{"1.0", "2.0", "2.1", "10.0"} {
			got = append(got, tc.f.Lacks(release))
		}
		assert.Equal(t, tc.want, got, name)
	}
}
