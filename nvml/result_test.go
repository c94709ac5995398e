package nvml_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/nvml"
)

// codes are the result codes of every release, by name, as the headers have them.
func codes(t *testing.T) map[string]int32 {
	root, err := fake.Root()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "specs", "nvml.json"))
	require.NoError(t, err)
	var spec struct {
		Enums []struct {
			Name   string
			Values []struct {
				Name  string
				Value int64
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &spec))
	out := map[string]int32{}
	for _, e := range spec.Enums {
		if e.Name != "nvmlReturn_t" {
			continue
		}
		for _, v := range e.Values {
			out[v.Name] = int32(v.Value)
		}
	}
	require.GreaterOrEqual(t, len(out), 32)
	return out
}

func TestEveryCodeComesBackAsItsError(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	seen := map[string]string{}
	for name, code := range codes(t) {
		lib.Answer(code)
		err := nvml.DeviceSetCpuAffinity(device)
		_, memErr := nvml.DeviceGetMemoryInfo(device)
		if code == 0 {
			assert.NoError(t, err)
			assert.NoError(t, memErr)
			continue
		}
		want := nvml.Result(code)
		assert.Equal(t, &nvml.CallError{Function: "nvmlDeviceSetCpuAffinity", Result: want}, err)
		assert.Same(t, err, nvml.DeviceSetCpuAffinity(device), "a repeated failure is the same error")
		assert.ErrorIs(t, fmt.Errorf("wrapped: %w", memErr), want, name)
		assert.Equal(t, name, want.Name())
		assert.NotEmpty(t, want.Remedy(), name)
		text := fmt.Sprintf(" (%d): %s; %s", code, want.Explanation(), want.Remedy())
		assert.Regexp(t, `^nvml: nvmlDeviceSetCpuAffinity: Err[A-Z]\w+`+regexp.QuoteMeta(text)+"$",
			err.Error())
		assert.Empty(t, seen[want.Explanation()], "%s says the same", name)
		seen[want.Explanation()] = name
		assert.Equal(t, code == 9 || code == 28, nvml.IsNoDevice(err), name)
	}
	lib.Answer(4321)
	err := nvml.Shutdown()
	var r nvml.Result
	require.True(t, errors.As(err, &r))
	assert.EqualValues(t, 4321, r)
	assert.False(t, nvml.IsNoDevice(err))
}

// NVML's code for a library that it misses is not the error for NVML's own.
func TestLibraryNotFoundIsNotTheCode(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	lib.Answer(12)
	err := nvml.Init()
	assert.ErrorIs(t, err, nvml.ErrSharedLibraryNotFound)
	assert.NotErrorIs(t, err, nvml.ErrLibraryNotFound)
}
