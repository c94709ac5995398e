package rtc_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/rtc"
)

type program uintptr

var errNo = errors.New("no")

// pair are functions of a program that has text.
func pair(text string, sizeErr, getErr error) (func(program) (uintptr, error),
	func(program, *byte) error) {
	size := func(program) (uintptr, error) { return uintptr(len(text)), sizeErr }
	get := func(_ program, to *byte) error {
		copy(unsafe.Slice(to, len(text)), text)
		return getErr
	}
	return size, get
}

func TestOutput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text            string
		sizeErr, getErr error
		want            []byte
		log             string
	}{
		"code":              {text: "code\n\x00", want: []byte("code\n\x00"), log: "code"},
		"nothing":           {},
		"a NUL only":        {text: "\x00", want: []byte{0}},
		"zeros inside":      {text: "a\x00b", want: []byte("a\x00b"), log: "a\x00b"},
		"no size":           {text: "code", sizeErr: errNo},
		"no code of a size": {text: "code", getErr: errNo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size, get := pair(c.text, c.sizeErr, c.getErr)
			data, err := rtc.Output(program(1), size, get)
			if c.sizeErr != nil || c.getErr != nil {
				assert.ErrorIs(t, err, errNo)
			} else {
				assert.NoError(t, err)
			}
			assert.Equal(t, c.want, data)
			log, _ := rtc.Log(program(1), size, get)
			assert.Equal(t, c.log, log)
		})
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	n, list, err := rtc.Strings(nil)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Nil(t, list)

	want := []string{"-a", "", "-std=c++17", "ü"}
	n, list, err = rtc.Strings(want)
	require.NoError(t, err)
	runtime.GC()
	var got []string
	for _, p := range unsafe.Slice(list, n) {
		got = append(got, ccall.GoString(unsafe.Pointer(p)))
	}
	assert.Equal(t, want, got)

	_, _, err = rtc.Strings([]string{"fine", "cut\x00off"})
	assert.ErrorIs(t, err, ccall.ErrNUL)
	assert.ErrorContains(t, err, `text 1 ("cut\x00off")`)
}
