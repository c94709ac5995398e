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
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

var source = compute.Source{Text: "extern \"C\" __global__ void nothing() {}",
	Host: map[string]compute.HostKernel{"nothing": func(*compute.Block) {}}}

// A GPU without a compiler is told of, with what to install, and the host does the work.
func TestNoCompiler(t *testing.T) {
	for b, say := range map[event.Backend]string{
		event.CUDA: "install NVRTC of the CUDA toolkit",
		event.HIP:  "install hipRTC of ROCm",
	} {
		t.Run(string(b), func(t *testing.T) {
			fake.Absent(t, &libs.NVRTC, filepath.Join(t.TempDir(), "libnvrtc.so.13"))
			fake.Absent(t, &libs.HIPRTC, filepath.Join(t.TempDir(), "libhiprtc.so.7"))
			gpu := eventsim.New(t, eventsim.Config{Backend: b, ProcessWide: true}).Device(0)
			var w strings.Builder
			m, err := Compile(t.Context(), &w, source)
			require.NoError(t, err)
			defer m.Close()
			assert.True(t, m.Device().IsHost())
			assert.Contains(t, w.String(), say)
			assert.Contains(t, w.String(), "No kernel can be compiled for "+gpu.String())
		})
	}
}

// Other errors are no reason to run elsewhere.
func TestOtherErrorsAreReturned(t *testing.T) {
	var w strings.Builder
	m, err := Compile(t.Context(), &w, compute.Source{})
	require.Error(t, err)
	assert.Nil(t, m)
	assert.Empty(t, w.String())
}
