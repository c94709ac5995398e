package sim

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// spec is what the tests need of specs/*.json.
type spec struct {
	Versions []struct {
		Name       string
		Number     int32
		Supplement string
	}
	Functions []struct {
		Name   string
		Since  string
		Params []struct{ Type string }
	}
}

func readSpec(t *testing.T, name string) (s spec) {
	t.Helper()
	b, err := os.ReadFile("../../../specs/" + name + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &s))
	return s
}

func TestFunctionsAgreeWithSpecs(t *testing.T) {
	for name, a := range map[string]*api{"cuda": &cudaAPI, "hip": &hipAPI} {
		since := map[string]string{}
		parameters := map[string]int{}
		for _, f := range readSpec(t, name).Functions {
			since[f.Name], parameters[f.Name] = f.Since, len(f.Params)
		}
		for _, fn := range a.functions() {
			assert.Equal(t, since[fn.name], fn.since, fn.name)
			assert.Equal(t, parameters[fn.name], fn.params, fn.name)
		}
	}
}

func TestProfilesAreReleases(t *testing.T) {
	for name, profiles := range map[string][]profile{"cuda": cudaProfiles, "hip": hipProfiles} {
		s := readSpec(t, name)
		known := map[string]int32{}
		for _, v := range s.Versions {
			known[v.Name] = v.Number
		}
		for _, p := range profiles {
			require.Contains(t, known, p.exports)
			if p.version == p.exports {
				assert.Equal(t, known[p.exports], p.number, p.name)
			}
		}
		newest := ""
		for _, v := range s.Versions {
			if v.Supplement == "" { // nobody has seen the library of one that has no headers
				newest = v.Name
			}
		}
		assert.Equal(t, newest, profiles[len(profiles)-1].exports,
			"the last profile is the newest release")
	}
}

func TestProfilesExportWhatTheVersionHas(t *testing.T) {
	tests := []struct {
		symbol    string
		has, lack []string
	}{
		{"cuEventCreate", []string{"11.8", "12.4", "13.5"}, nil},
		{"cuEventElapsedTime", []string{"11.8", "12.4", "13.5"}, nil},
		{"cuEventElapsedTime_v2", []string{"12.8", "13.5"}, []string{"11.8", "12.4"}},
		{"cuStreamGetDevice", []string{"12.8", "13.5"}, []string{"11.8", "12.4"}},
		{"cuStreamGetId", []string{"12.4", "13.5"}, []string{"11.8"}},
		{"cuCtxGetDevice_v2", []string{"13.5"}, []string{"11.8", "12.4"}},
		{"cuStreamWaitValue64_v2", []string{"11.8", "12.4", "13.5"}, nil},
		{"cuMemAlloc", nil, []string{"11.8", "12.4", "13.5"}}, // not simulated
		{"hipEventRecord", []string{"5.2.3", "6.4", "7.2"}, nil},
		{"hipEventRecordWithFlags", []string{"6.4", "7.2"}, []string{"5.2.3"}},
		{"hipGetDevicePropertiesR0600", []string{"6.4", "7.2"}, []string{"5.2.3"}},
		{"hipGetDeviceProperties", []string{"5.2.3", "6.4", "7.2"}, nil},
		{"hipStreamGetDevice", []string{"6.4", "7.2"}, []string{"5.2.3"}},
		{"hipStreamGetId", []string{"7.2.0", "7.2"}, []string{"5.2.3", "6.4", "cpu"}},
		{"hipLaunchHostFunc", []string{"5.7", "6.4", "cpu"}, []string{"5.2.3"}},
	}
	m := NewMachine(Options{Missing: []string{"cuCtxPopCurrent_v2", "cuCtxPushCurrent_v2"}})
	check := func(profile string, has func(string) bool) {
		for _, tt := range tests {
			for _, p := range tt.has {
				if p == profile {
					assert.True(t, has(tt.symbol), "%s in %s", tt.symbol, p)
				}
			}
			for _, p := range tt.lack {
				if p == profile {
					assert.False(t, has(tt.symbol), "%s in %s", tt.symbol, p)
				}
			}
		}
	}
	for _, p := range CUDAProfiles() {
		restore := m.InstallCUDA(p)
		check(p, cudrv.Has)
		assert.Equal(t, p != CUDAProfiles()[0], m.Missed("cuCtxPopCurrent_v2"), "before it is asked for")
		assert.False(t, cudrv.Has("cuCtxPopCurrent_v2"), "left out on demand")
		assert.True(t, m.Missed("cuCtxPopCurrent_v2"))
		_, err := cudrv.CtxPopCurrent()
		assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
		v, err := cudrv.DriverVersion()
		require.NoError(t, err)
		assert.Contains(t, cudrv.Path(), p)
		assert.Equal(t, p, v.String())
		restore()
	}
	assert.False(t, m.Missed("cuCtxPushCurrent_v2"), "nobody asked for it")
	assert.False(t, m.Missed("cuCtxGetCurrent"), "it is not left out")
	for _, p := range HIPProfiles() {
		restore := m.InstallHIP(p)
		check(p, hip.Has)
		v, err := hip.RuntimeGetVersion()
		require.NoError(t, err)
		assert.Equal(t, profileOf(hipProfiles, p).number, v)
		v, err = hip.DriverGetVersion()
		require.NoError(t, err)
		assert.Equal(t, p == "cpu", v == 4)
		restore()
	}
	assert.Panics(t, func() { m.InstallCUDA("9.9") })
}
