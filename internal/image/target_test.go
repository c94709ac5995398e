package image_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/image"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target, device string
		want           bool
	}{
		{"sm_80", "sm_80", true}, {"sm_80", "sm_86", true}, {"sm_86", "sm_80", false},
		{"sm_80", "sm_90", false}, {"sm_90a", "sm_90", true}, {"sm_100a", "sm_103", false},
		{"sm_100f", "sm_103", true}, {"sm_120f", "sm_121", true}, {"sm_100f", "sm_120", false},
		{"compute_70", "sm_90", true}, {"compute_90", "sm_80", false}, {"compute_90a", "sm_100", false},
		{"compute_90a", "sm_90", true}, {"compute_100f", "sm_103", true},
		{"compute_100f", "sm_120", false}, {"sm_90", "sm_90a", true},
		{"gfx942", "sm_90", false}, {"sm_90", "gfx942", false}, {"sm_90", "", false},
		{"", "sm_90", false},
		{"sm_x", "sm_90", false}, {"compute_", "sm_90", false},
		{"gfx942", "gfx942:sramecc+:xnack-", true}, {"gfx942:xnack-", "gfx942:sramecc+:xnack-", true},
		{"gfx942:xnack+", "gfx942:sramecc+:xnack-", false}, {"gfx942:xnack+", "gfx942", true},
		{"gfx90a", "gfx942", false}, {"gfx9-4-generic", "gfx942:sramecc+:xnack-", true},
		{"gfx9-4-generic:xnack+", "gfx942:sramecc+:xnack-", false},
		{"gfx11-generic", "gfx1100", true}, {"gfx11-generic", "gfx1030", false},
		{"amdgcnspirv", "gfx942", true},
	} {
		assert.Equal(t, c.want, image.Runs(c.target, c.device), "%s on %s", c.target, c.device)
	}
}
