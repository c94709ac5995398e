package versions

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"12.9", "12.10", -1}, {"9.2", "11.8", -1}, {"13.0", "13.0", 0}, {"13", "13.0", 0},
		{"12.9", "12.9.1", -1}, {"2.38", "", 1}, {"", "", 0}, {"2.3.4", "2.38", -1}, {"2..1", "2.0.1", 0},
		{"2.rc1", "2.1", 1}, {"2.rc1", "2", 1}, {"2.a", "2.b", -1}, {"007", "7", 0},
		{"4294967296", "4294967295", 1}, {"20261122000000000001", "20261122000000000002", -1},
		{"0", "00", 0},
	} {
		assert.Equal(t, tt.want, Compare(tt.a, tt.b), "%q and %q", tt.a, tt.b)
		assert.Equal(t, -tt.want, Compare(tt.b, tt.a), "%q and %q", tt.b, tt.a)
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "12.9", First("12.9.79", 2))
	assert.Equal(t, "12", First("12", 2))
	assert.Equal(t, "2.27.3", First("2.27.3", 3))
}

func TestParts(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "12.4", Parts(12040, []int{1000, 10}))
	assert.Equal(t, "2.27.7", Parts(22707, []int{10_000, 100, 1}))
	assert.Empty(t, Parts(7, nil))
}
