package nvrtc_test

import (
	"testing"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/loading"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
	"github.com/gpuevent/gpuevent/nvrtc"
)

func TestBindings(t *testing.T) {
	loading.Check(t, loading.Package{API: &proof.NVRTC, Library: &libs.NVRTC, Load: nvrtc.Load,
		Path: nvrtc.Path, Has: nvrtc.Has, Since: nvrtc.Since, Available: nvrtc.Available})
}
