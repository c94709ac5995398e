package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name()+" "+p.soft(p.release))
	}
	assert.Len(t, names, len(sim.CUDAProfiles())+len(sim.HIPProfiles()))
	for _, want := range []string{"cuda-11.8 libcuda.so.1", "hip-5.2.3 libamdhip64.so.5",
		"hip-6.4 libamdhip64.so.6", "hip-7.2 libamdhip64.so.7"} {
		assert.Contains(t, names, want)
	}
	chosen, err := choose("hip-7.2,cuda-13.5")
	require.NoError(t, err)
	assert.Equal(t, "[hip-7.2 cuda-13.5]", fmt.Sprint(chosen))
	all, err := choose("")
	require.NoError(t, err)
	assert.Equal(t, Profiles()[0].Name(), all[0].Name())
	_, err = choose("cuda-1.0")
	assert.ErrorContains(t, err, `no profile "cuda-1.0"`)
	assert.ErrorContains(t, run("", "amd64", ""), "no folder")
	assert.ErrorContains(t, run(t.TempDir(), "amd64", "x"), "no profile")
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	root, err := moduleFolder("github.com/gpuevent/gpuevent")
	require.NoError(t, err)
	has := func(profile, name string) bool {
		chosen, err := choose(profile)
		require.NoError(t, err)
		symbols, err := chosen[0].symbols(root)
		require.NoError(t, err)
		return slices.ContainsFunc(symbols, func(s symbol) bool { return s.Name == name })
	}
	for name, want := range map[string][2]bool{ // in CUDA 12.4 and 13.5
		"cuEventRecord":         {true, true},
		"cuEventElapsedTime_v2": {false, true},
		"cuCtxCreate_v2":        {true, true}, // removed from the header, but not from the library
		"cuStreamGetDevice":     {false, true},
		"cuArrayCreate_v2":      {true, true}, // not simulated
		"hipEventRecord":        {false, false},
	} {
		assert.Equal(t, want, [2]bool{has("cuda-12.4", name), has("cuda-13.5", name)}, name)
	}
	assert.False(t, has("hip-5.2.3", "hipGetDevicePropertiesR0600"))
	assert.True(t, has("hip-7.2", "hipGetDevicePropertiesR0600"))
	assert.False(t, has("hip-cpu", "hipStreamGetId"), "HIP on a CPU lacks it")

	for name, want := range map[string]string{"cuMemAlloc_v2": "cuMemAlloc", "cuInit": "cuInit",
		"cuCtxCreate_v4": "cuCtxCreate", "cu_vx": "cu_vx", "cu_v": "cu_v"} {
		assert.Equal(t, want, symbol{Name: name}.base())
	}
	assert.Equal(t, 12080, symbol{Since: "12.8"}.found())
	assert.Equal(t, 11060, symbol{Name: "cuLaunchKernelEx", Since: "11.8"}.found())
	assert.True(t, symbol{Returns: "const char *"}.text())
	assert.False(t, symbol{Returns: "hipError_t"}.text())
}

func TestStubs(t *testing.T) {
	t.Parallel()
	all := []symbol{{Name: "cuGetProcAddress_v2"}, {Name: "cuInit"}}
	for arch, s := range stubs {
		text := string(stubTexts(all, s))
		assert.Contains(t, text, "\ncuInit:\n", arch)
		assert.NotContains(t, text, "cuGetProcAddress", "%s: C has it", arch)
		assert.NotContains(t, text, "NUMBER", arch)
	}
}
