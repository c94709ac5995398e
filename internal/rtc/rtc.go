// Package rtc has what the packages of run-time compilers share: reading what a program has, and
// lists of texts for C.
package rtc

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Output calls the function for the size and then the one that writes as many bytes. It returns nil
// if there are none.
func Output[P ~uintptr](prog P, size func(P) (uintptr, error), get func(P, *byte) error) (
	[]byte, error) {
	n, err := size(prog)
	if err != nil || n == 0 {
		return nil, err
	}
	data := make([]byte, n)
	if err := get(prog, &data[0]); err != nil {
		return nil, err
	}
	return data, nil
}

// Log is an Output that is a text, without NUL bytes and newlines at its end.
func Log[P ~uintptr](prog P, size func(P) (uintptr, error), get func(P, *byte) error) (
	string, error) {
	data, err := Output(prog, size, get)
	return string(bytes.TrimRight(data, "\x00\n")), err
}

// Strings makes an array of C strings, which lives as long as the pointer to it. No texts are a nil
// pointer. A text with a NUL byte is an error.
func Strings(texts []string) (int32, **byte, error) {
	if len(texts) == 0 {
		return 0, nil, nil
	}
	list := make([]*byte, len(texts))
	for i, text := range texts {
		c, err := ccall.CString(text)
		if err != nil {
			return 0, nil, fmt.Errorf("text %d (%q): %w", i, text, err)
		}
		list[i] = c
	}
	return int32(len(list)), unsafe.SliceData(list), nil
}
