package rccl_test

import (
	"testing"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/loading"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
	"github.com/gpuevent/gpuevent/rccl"
)

func TestBindings(t *testing.T) {
	loading.Check(t, loading.Package{API: &proof.RCCL, Library: &libs.RCCL, Load: rccl.Load,
		Path: rccl.Path, Has: rccl.Has, Since: rccl.Since, Available: rccl.Available})
}
