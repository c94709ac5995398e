package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"12.9", "12.10", -1}, {"12.10", "12.9", 1}, {"13.0", "13.0", 0}, {"12.9", "12.9.1", -1},
		{"2.38", "", 1}, {"2.3.4", "2.38", -1}, {"2.rc1", "2.1", 1},
	} {
		assert.Equal(t, tc.want, compareVersions(tc.a, tc.b), "%s and %s", tc.a, tc.b)
	}
}

func TestCutVersions(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "12.9", firstParts("12.9.79", 2))
	assert.Equal(t, "12", firstParts("12", 2))
	for release, want := range map[string]string{"7.2.4-1~exp2": "7.2.4", "5.7.1-6+deb13u1": "5.7.1",
		"1:1.3.dfsg+really1.3.1-1+b1": "1.3.dfsg", "535.261.03-1": "535.261.03",
		"6.4.3+dfsg-5": "6.4.3"} {
		assert.Equal(t, want, upstreamOf(release))
	}
}
