package hip_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// codes are the result codes of every release, by name, as the headers have them.
func codes(t testing.TB) map[string]int32 {
	root, err := fake.Root()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "specs", "hip.json"))
	require.NoError(t, err)
	var spec struct {
		Enums []struct {
			Name   string
			Values []struct {
				Name  string
				Value int32
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &spec))
	out := map[string]int32{}
	for _, e := range spec.Enums {
		if e.Name != "hipError_t" {
			continue
		}
		for _, v := range e.Values {
			out[v.Name] = v.Value
		}
	}
	require.GreaterOrEqual(t, len(out), 80)
	return out
}

// goNames are the Go names of the codes, by C name.
func goNames(t *testing.T) map[string]string {
	root, err := fake.Root()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "specs", "hip.lock"))
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) >= 3 && f[1] == "const" {
			out[f[2]] = f[0]
		}
	}
	return out
}

// A failed call names the C function. "Not ready" is not a failure: it is returned as the bare
// code.
func TestEveryCodeComesBackAsItsError(t *testing.T) {
	t.Parallel()
	lib := fake.New("a failing runtime", "hipEventQuery", "hipEventCreate").Install(t, &libs.HIP)
	codes, names := codes(t), goNames(t)
	seen := map[string]hip.Result{}
	for name, code := range codes {
		lib.Answer(code)
		err := hip.EventQuery(1)
		_, createErr := hip.EventCreate()
		if code == 0 {
			assert.NoError(t, err)
			assert.NoError(t, createErr)
			continue
		}
		sentinel := hip.Result(code)
		failed := &hip.CallError{Function: "hipEventQuery", Result: sentinel}
		call := "hipEventQuery: "
		if sentinel == hip.ErrNotReady {
			assert.True(t, err == hip.ErrNotReady && createErr == hip.ErrNotReady)
			call = ""
		} else {
			assert.Equal(t, failed, err, name)
			assert.Same(t, err, hip.EventQuery(2), "a repeated failure is the same error")
		}
		assert.ErrorIs(t, err, sentinel, name)
		assert.ErrorIs(t, fmt.Errorf("wrapped: %w", createErr), sentinel, name)
		var r hip.Result
		require.True(t, errors.As(err, &r))
		assert.Equal(t, code, codes[r.Name()], "%s is %s", name, r.Name()) // some codes have two names
		assert.NotEmpty(t, r.Explanation(), name)
		assert.NotEmpty(t, r.Remedy(), name)
		text := fmt.Sprintf("%s (%d): %s; %s", names[r.Name()], code, r.Explanation(), r.Remedy())
		assert.Equal(t, "hip: "+call+text, err.Error())
		assert.Equal(t, "hip: "+text, r.Error())
		assert.NotContains(t, r.Explanation(), "do not know", name)
		if other, ok := seen[r.Explanation()]; ok {
			assert.Equal(t, other, r, "%s says the same", name)
		}
		seen[r.Explanation()] = r
	}
}

func TestUnknownCode(t *testing.T) {
	t.Parallel()
	lib := fake.New("a runtime of the future", "hipEventQuery").Install(t, &libs.HIP)
	for _, code := range []int32{77777, -1, 36} {
		lib.Answer(code)
		err := hip.EventQuery(1)
		assert.ErrorIs(t, err, hip.Result(code))
		assert.NotErrorIs(t, err, hip.ErrUnknown)
		name := fmt.Sprintf("Result(%d)", code)
		assert.Equal(t, name, hip.Result(code).Name())
		text := name + ": a code that these bindings do not know; look it up in the " +
			"documentation of the installed HIP, which may be newer"
		assert.EqualError(t, err, "hip: hipEventQuery: "+text)
		assert.EqualError(t, hip.Result(code), "hip: "+text)
		assert.False(t, hip.Result(code).Sticky())
	}
}

func TestStickyErrors(t *testing.T) {
	t.Parallel()
	for r, want := range map[hip.Result]bool{
		hip.ErrIllegalAddress: true, hip.ErrLaunchFailure: true, hip.ErrAssert: true,
		hip.ErrECCNotCorrectable: true,
		hip.SuccessValue:         false, hip.ErrNotReady: false, hip.ErrInvalidValue: false,
		hip.ErrNoDevice: false,
	} {
		assert.Equal(t, want, r.Sticky(), r.Name())
	}
}

// classes are those of all codes that concern more than the call.
var classes = map[hip.Class][]hip.Result{
	hip.ClassPending: {600},
	hip.ClassUnclear: {100, 304, 999, 1052, 1053},
	hip.ClassEnded:   {4},
	hip.ClassLost:    {214},
	hip.ClassKernel:  {700, 702, 710, 719},
}

func TestClasses(t *testing.T) {
	t.Parallel()
	got := map[hip.Class][]hip.Result{}
	for code := range hip.Result(1100) {
		c := code.Class()
		assert.Equal(t, c >= hip.ClassEnded, code.Sticky(), code.Name())
		if c != hip.ClassCall {
			got[c] = append(got[c], code)
		}
	}
	assert.Equal(t, classes, got)
	assert.Equal(t, hip.ClassCall, hip.Result(77777).Class())
	assert.Equal(t, hip.ClassCall, hip.Result(-1).Class())
}
