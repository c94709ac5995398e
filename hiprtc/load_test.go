package hiprtc_test

import (
	"testing"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/loading"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

func TestBindings(t *testing.T) {
	loading.Check(t, loading.Package{API: &proof.HIPRTC, Library: &libs.HIPRTC, Load: hiprtc.Load,
		Path: hiprtc.Path, Has: hiprtc.Has, Since: hiprtc.Since, Available: hiprtc.Available})
}
