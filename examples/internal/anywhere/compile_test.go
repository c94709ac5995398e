package anywhere

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

var source = compute.Source{Text: "extern \"C\" __global__ void nothing() {}",
	Host: map[string]compute.HostKernel{"nothing": func(*compute.Block) {}}}

// compile compiles on a machine with a GPU, and returns where, and what was written.
func compile(t *testing.T, b event.Backend, s compute.Source, without *dl.Library) (
	gpu, on *event.Device, said string) {
	t.Setenv("GPUEVENT_KERNEL_CACHE", "off")
	gpu = eventsim.New(t, eventsim.Config{Backend: b, ProcessWide: true}).Device(0)
	if without != nil {
		fake.Absent(t, without, filepath.Join(t.TempDir(), "none.so"))
	}
	var w strings.Builder
	m, err := Compile(t.Context(), &w, s)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	return gpu, m.Device(), w.String()
}

func TestOnGPU(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			gpu, on, said := compile(t, b, source, nil)
			assert.Same(t, gpu, on)
			assert.Empty(t, said)
		})
	}
}

// A GPU without a compiler is told of, with what to install, and the host does the work.
func TestNoCompiler(t *testing.T) {
	for b, c := range map[event.Backend]struct {
		library *dl.Library
		say     string
	}{
		event.CUDA: {&libs.NVRTC, "install NVRTC of the CUDA toolkit"},
		event.HIP:  {&libs.HIPRTC, "install hipRTC of ROCm"},
	} {
		t.Run(string(b), func(t *testing.T) {
			gpu, on, said := compile(t, b, source, c.library)
			assert.True(t, on.IsHost())
			assert.Contains(t, said, c.say)
			assert.Contains(t, said, "No kernel can be compiled for "+gpu.String())
		})
	}
}

// Other errors are no reason to run elsewhere.
func TestOtherErrorsAreReturned(t *testing.T) {
	t.Setenv("GPUEVENT_KERNEL_CACHE", "off")
	eventsim.New(t, eventsim.Config{ProcessWide: true})
	var w strings.Builder
	wrong := source
	wrong.Text = "extern \"C\" __global__ void nothing( {}"
	m, err := Compile(t.Context(), &w, wrong)
	require.ErrorIs(t, err, compute.ErrSource)
	assert.Nil(t, m)
	assert.Empty(t, w.String())
}
