package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUpstreamOf(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{"7.2.4-1~exp2": "7.2.4", "5.7.1-6+deb13u1": "5.7.1",
		"1:1.3.dfsg+really1.3.1-1+b1": "1.3.dfsg", "535.261.03-1": "535.261.03",
		"6.4.3+dfsg-5": "6.4.3"} {
		assert.Equal(t, want, upstreamOf(release))
	}
}
