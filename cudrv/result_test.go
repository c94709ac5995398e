package cudrv_test

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

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// codes are the result codes of every release, by name, as the headers have them.
func codes(t testing.TB) map[string]int32 {
	root, err := fake.Root()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "specs", "cuda.json"))
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
		if e.Name != "CUresult" {
			continue
		}
		for _, v := range e.Values {
			out[v.Name] = v.Value
		}
	}
	require.Greater(t, len(out), 100)
	return out
}

// goNames are the Go names of the codes, by C name.
func goNames(t *testing.T) map[string]string {
	root, err := fake.Root()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "specs", "cuda.lock"))
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
	lib := fake.New("a failing driver", "cuEventQuery", "cuEventCreate").Install(t, &libs.CUDA)
	names, seen := goNames(t), map[string]string{}
	for name, code := range codes(t) {
		lib.Answer(code)
		err := cudrv.EventQuery(1)
		_, createErr := cudrv.EventCreate(0)
		if code == 0 {
			assert.NoError(t, err)
			assert.NoError(t, createErr)
			continue
		}
		sentinel := cudrv.Result(code)
		failed := &cudrv.CallError{Function: "cuEventQuery", Result: sentinel}
		call := "cuEventQuery: "
		if sentinel == cudrv.ErrNotReady {
			assert.True(t, err == cudrv.ErrNotReady && createErr == cudrv.ErrNotReady)
			call = ""
		} else {
			assert.Equal(t, failed, err, name)
			assert.Same(t, err, cudrv.EventQuery(2), "a repeated failure is the same error")
		}
		assert.ErrorIs(t, err, sentinel, name)
		assert.ErrorIs(t, fmt.Errorf("wrapped: %w", createErr), sentinel, name)
		var r cudrv.Result
		require.True(t, errors.As(err, &r))
		assert.Equal(t, name, r.Name())
		assert.NotEmpty(t, r.Explanation(), name)
		assert.NotEmpty(t, r.Remedy(), name)
		text := fmt.Sprintf("%s (%d): %s; %s", names[r.Name()], code, r.Explanation(), r.Remedy())
		assert.Equal(t, "cudrv: "+call+text, err.Error())
		assert.Equal(t, "cudrv: "+text, r.Error())
		assert.NotContains(t, r.Explanation(), "do not know", name)
		assert.Empty(t, seen[r.Explanation()], "%s says the same", name)
		seen[r.Explanation()] = name
	}
}

func TestUnknownCode(t *testing.T) {
	t.Parallel()
	lib := fake.New("a driver of the future", "cuEventQuery").Install(t, &libs.CUDA)
	for _, code := range []int32{77777, -1, 35} {
		lib.Answer(code)
		err := cudrv.EventQuery(1)
		assert.ErrorIs(t, err, cudrv.Result(code))
		assert.NotErrorIs(t, err, cudrv.ErrUnknown)
		name := fmt.Sprintf("Result(%d)", code)
		assert.Equal(t, name, cudrv.Result(code).Name())
		text := name + ": a code that these bindings do not know; look it up in the " +
			"documentation of the installed CUDA, which may be newer"
		assert.EqualError(t, err, "cudrv: cuEventQuery: "+text)
		assert.EqualError(t, cudrv.Result(code), "cudrv: "+text)
		assert.False(t, cudrv.Result(code).Sticky())
	}
}

func TestStickyErrors(t *testing.T) {
	t.Parallel()
	for r, want := range map[cudrv.Result]bool{
		cudrv.ErrIllegalAddress: true, cudrv.ErrLaunchFailed: true, cudrv.ErrAssert: true,
		cudrv.ErrEccUncorrectable: true,
		cudrv.Success:             false, cudrv.ErrNotReady: false, cudrv.ErrInvalidValue: false,
		cudrv.ErrNoDevice: false,
	} {
		assert.Equal(t, want, r.Sticky(), r.Name())
	}
}

// classes are those of all codes that concern more than the call. The vendor's text of a code of
// ClassLost or ClassKernel asks for a restart of the process, except for 214 and 220.
var classes = map[cudrv.Class][]cudrv.Result{
	cudrv.ClassPending: {600},
	cudrv.ClassUnclear: {46, 100, 304, 709, 802, 999},
	cudrv.ClassEnded:   {4},
	cudrv.ClassLost:    {214, 220, 810, 911},
	cudrv.ClassKernel:  {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721},
}

func TestClasses(t *testing.T) {
	t.Parallel()
	got := map[cudrv.Class][]cudrv.Result{}
	for code := range cudrv.Result(1100) {
		c := code.Class()
		assert.Equal(t, c >= cudrv.ClassEnded, code.Sticky(), code.Name())
		if c != cudrv.ClassCall {
			got[c] = append(got[c], code)
		}
	}
	assert.Equal(t, classes, got)
	assert.Equal(t, cudrv.ClassCall, cudrv.Result(77777).Class())
	assert.Equal(t, cudrv.ClassCall, cudrv.Result(-1).Class())
}
