package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elfWithSoname makes the smallest shared object that the reader accepts: a dynamic section, its
// strings, nothing to run.
func elfWithSoname(soname string, needs ...string) []byte {
	strtab := []byte{0}
	add := func(s string) uint64 {
		at := uint64(len(strtab))
		strtab = append(append(strtab, s...), 0)
		return at
	}
	var dynamic []elf.Dyn64
	if soname != "" {
		dynamic = append(dynamic, elf.Dyn64{Tag: int64(elf.DT_SONAME), Val: add(soname)})
	}
	for _, need := range needs {
		dynamic = append(dynamic, elf.Dyn64{Tag: int64(elf.DT_NEEDED), Val: add(need)})
	}
	dynamic = append(dynamic, elf.Dyn64{Tag: int64(elf.DT_NULL)})
	names := "\x00.dynstr\x00.dynamic\x00.shstrtab\x00"

	const headerSize, sectionSize = 64, 64
	strAt := uint64(headerSize)
	dynAt := (strAt + uint64(len(strtab)) + 7) &^ 7
	namesAt := dynAt + uint64(len(dynamic))*16
	sectionsAt := (namesAt + uint64(len(names)) + 7) &^ 7
	header := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Shoff: sectionsAt, Ehsize: headerSize, Shentsize: sectionSize, Shnum: 4, Shstrndx: 3}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01")
	sections := []elf.Section64{
		{},
		{Name: 1, Type: uint32(elf.SHT_STRTAB), Off: strAt, Size: uint64(len(strtab))},
		{Name: 9, Type: uint32(elf.SHT_DYNAMIC), Off: dynAt, Size: uint64(len(dynamic)) * 16, Link: 1,
			Entsize: 16},
		{Name: 18, Type: uint32(elf.SHT_STRTAB), Off: namesAt, Size: uint64(len(names))},
	}
	var b bytes.Buffer
	put := func(at uint64, v any) {
		b.Write(make([]byte, at-uint64(b.Len())))
		_ = binary.Write(&b, binary.LittleEndian, v) // fixed-size values into memory
	}
	put(0, header)
	put(strAt, strtab)
	put(dynAt, dynamic)
	put(namesAt, []byte(names))
	put(sectionsAt, sections)
	return b.Bytes()
}

func TestSonameOf(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"shared object": {elfWithSoname("liba.so.1"), "liba.so.1"},
		"plugin":        {elfWithSoname(""), ""},
		"text":          {[]byte("GROUP ( liba.so.1 )"), ""},
		"cut short":     {elfWithSoname("liba.so.1")[:80], ""},
		"empty":         {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := sonameOf(tc.data)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.want != "", ok)
		})
	}
}

func TestNeedsOf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, elfWithSoname("x", "libz.so.1", "libc.so.6"), 0o600))
	needs, err := needsOf(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"libc.so.6", "libz.so.1"}, needs)

	_, err = needsOf(file + "-absent")
	require.ErrorIs(t, err, os.ErrNotExist)
}
