package nccl_test

import (
	"testing"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/loading"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
	"github.com/gpuevent/gpuevent/nccl"
)

func TestBindings(t *testing.T) {
	loading.Check(t, loading.Package{API: &proof.NCCL, Library: &libs.NCCL, Load: nccl.Load,
		Path: nccl.Path, Has: nccl.Has, Since: nccl.Since, Available: nccl.Available})
}
