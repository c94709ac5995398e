package compiler

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write1(t *testing.T, file, text string) {
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// Whatever file of a compiler changes, so does its identity.
func TestIdentityOfNVRTC(t *testing.T) {
	dir := t.TempDir()
	lib := filepath.Join(dir, "libnvrtc.so.12")
	builtins := filepath.Join(dir, "libnvrtc-builtins.so.12.3")
	write1(t, lib, "one")
	write1(t, builtins, "two")
	key := func() string {
		var id Identity
		t.Run("", func(t *testing.T) {
			fakeNVRTC(t, lib)
			var err error
			id, err = CUDAIdentity()
			require.NoError(t, err)
			assert.Equal(t, "NVRTC 12.3", id.Name)
		})
		return id.Key
	}
	first := key()
	assert.NotEmpty(t, first)
	assert.Equal(t, first, key())
	write1(t, builtins, "three")
	second := key()
	assert.NotEqual(t, first, second)
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(lib, later, later))
	assert.NotEqual(t, second, key())
}

func TestIdentityOfHIPRTC(t *testing.T) {
	dir := t.TempDir()
	lib, comgr := filepath.Join(dir, "libhiprtc.so.7.2.53211"), filepath.Join(dir, "libamd_comgr.so.3")
	write1(t, lib, "one")
	key := func() string {
		var id Identity
		t.Run("", func(t *testing.T) {
			fakeHIPRTC(t, lib)
			var err error
			id, err = HIPIdentity()
			require.NoError(t, err)
			assert.Equal(t, "hipRTC 7.2.53211 (libhiprtc.so.7.2.53211)", id.Name)
		})
		return id.Key
	}
	assert.Empty(t, key(), "without its compiler, it does not say which it is")
	write1(t, comgr, "two")
	first := key()
	assert.NotEmpty(t, first)
	write1(t, comgr, "three")
	assert.NotEqual(t, first, key())
}

// Without files nothing is known that must not be kept.
func TestIdentityWithoutFiles(t *testing.T) {
	fakeNVRTC(t, filepath.Join(t.TempDir(), "libnvrtc.so.12"))
	id, err := CUDAIdentity()
	require.NoError(t, err)
	assert.Equal(t, Identity{Name: "NVRTC 12.3"}, id)
	fakeHIPRTC(t, "libhiprtc.so.7")
	id, err = HIPIdentity()
	require.NoError(t, err)
	assert.Equal(t, Identity{Name: "hipRTC 7 (libhiprtc.so.7)"}, id)
}

func TestRelease(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"libhiprtc.so.7.2.53211": "7.2.53211",
		"libhiprtc.so": "", "libamdhip64.so.6.4.43484": "6.4.43484", "hiprtc0704.dll": "7.4",
		"hiprtc0715.dll": "7.15", "hiprtc.dll": "", "hiprtcabcd.dll": "", "other": ""} {
		assert.Equal(t, want, release(name), name)
	}
}

// A library that was found by its name is the file that is mapped.
func TestMappedFiles(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip("the system does not list what is mapped")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	assert.Equal(t, []string{self}, mapped(filepath.Base(self)))
	assert.Empty(t, mapped("libnosuchthing.so"))
	assert.Empty(t, opened("libnosuchthing.so.1"))
	assert.Equal(t, self, opened(self))
	assert.Empty(t, opened(filepath.Join(t.TempDir(), "none.so")))
}
