package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSuccessive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"12.5", "12.6", true},
		{"12.6", "12.8", false},
		{"11.8", "12.0", true},
		{"11.8", "12.1", false},
		{"11.8", "13.0", false},
		{"5.2.3", "5.2.4", true},
		{"5.2.3", "5.3.0", true},
		{"5.2.3", "5.7.1", false},
		{"5.7.1", "6.4.3", false},
		{"6.4.3", "7.0.2", true},
		{"6.4.3", "7.2.4", false},
		{"9", "10", true},
	} {
		assert.Equal(t, tt.want, Successive(tt.a, tt.b), "%s, %s", tt.a, tt.b)
	}
}
