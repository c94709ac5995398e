package nvml_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/nvml"
)

// versioned is what C expects of a struct of the type: its size, and the number of the version.
func versioned[T any](number uint32) uint32 {
	return uint32(unsafe.Sizeof(*new(T))) | number<<24
}

func TestConstructorsSetTheVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want uint32 }{
		"MemoryV2":        {nvml.NewMemoryV2().Version, versioned[nvml.MemoryV2](2)},
		"TemperatureV1":   {nvml.NewTemperatureV1().Version, versioned[nvml.TemperatureV1](1)},
		"ClockOffsetV1":   {nvml.NewClockOffsetV1().Version, versioned[nvml.ClockOffsetV1](1)},
		"PlatformInfoV1":  {nvml.NewPlatformInfoV1().Version, versioned[nvml.PlatformInfoV1](1)},
		"PlatformInfoV2":  {nvml.NewPlatformInfoV2().Version, versioned[nvml.PlatformInfoV2](2)},
		"GpuFabricInfoV2": {nvml.NewGpuFabricInfoV2().Version, versioned[nvml.GpuFabricInfoV2](2)},
		"GpuFabricInfoV3": {nvml.NewGpuFabricInfoV3().Version, versioned[nvml.GpuFabricInfoV3](3)},
		"ProcessDetailListV1": {nvml.NewProcessDetailListV1().Version,
			versioned[nvml.ProcessDetailListV1](1)},
		"EccSramErrorStatusV1": {nvml.NewEccSramErrorStatusV1().Version,
			versioned[nvml.EccSramErrorStatusV1](1)},
		"UUIDV1":              {nvml.NewUUIDV1().Version, versioned[nvml.UUIDV1](1)},
		"GpmMetricsGetParams": {nvml.NewGpmMetricsGetParams().Version, 1},
		"GpmSupport":          {nvml.NewGpmSupport().Version, 1},
	} {
		assert.Equal(t, c.want, c.got, name)
	}
	assert.EqualValues(t, 0x2000028, nvml.NewMemoryV2().Version)
}

// Only vGPU metadata, which C fills as a whole, have a version and no constructor.
func TestEveryVersionHasItsConstructor(t *testing.T) {
	t.Parallel()
	root, err := fake.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "nvml", "*.go"))
	require.NoError(t, err)
	var text []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		text = append(text, data...)
	}
	made := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^func New(\w+)\(\) (\w+)`).FindAllSubmatch(text, -1) {
		assert.Equal(t, string(m[1]), string(m[2]))
		made[string(m[1])] = true
	}
	var without []string
	versions := regexp.MustCompile(`(?m)^type (\w+) struct {\n\tVersion +uint32`)
	for _, m := range versions.FindAllSubmatch(text, -1) {
		if !made[string(m[1])] {
			without = append(without, string(m[1]))
		}
	}
	assert.ElementsMatch(t, []string{"VgpuMetadata", "VgpuPgpuMetadata"}, without)
	assert.Len(t, made, 66)
}

// A plain name is another name of one version.
func TestPlainNamesAreVersions(t *testing.T) {
	t.Parallel()
	assert.Equal(t, reflect.TypeFor[nvml.TemperatureV1](), reflect.TypeFor[nvml.Temperature]())
	assert.Equal(t, reflect.TypeFor[nvml.PlatformInfoV2](), reflect.TypeFor[nvml.PlatformInfo]())
}
