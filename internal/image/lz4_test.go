package image

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnLZ4(t *testing.T) {
	t.Parallel()
	long := append([]byte{0xf0, 255, 20}, bytes.Repeat([]byte{'x'}, 290)...)
	for name, c := range map[string]struct {
		block, want string
	}{
		"nothing":           {"", ""},
		"literals":          {"\x30abc", "abc"},
		"many":              {string(long), string(bytes.Repeat([]byte{'x'}, 290))},
		"a copy":            {"\x40abcd\x04\x00\x10e", "abcdabcde"},
		"a run":             {"\x14a\x01\x00\x10b", "aaaaaaaaab"},
		"a long run":        {"\x1fa\x01\x00\xff\x05\x10b", strings.Repeat("a", 280) + "b"},
		"it ends in a copy": {"\x40abcd\x04\x00", "abcdabcd"},
	} {
		got, ok := unLZ4([]byte(c.block), len(c.want))
		assert.True(t, ok, name)
		assert.Equal(t, c.want, string(got), name)
		if c.want != "" {
			_, ok = unLZ4([]byte(c.block), len(c.want)-1)
			assert.False(t, ok, "%s: too long", name)
		}
		_, ok = unLZ4([]byte(c.block), len(c.want)+1)
		assert.False(t, ok, "%s: too short", name)
	}
	for name, block := range map[string]string{"no literals": "\x40ab", "no distance": "\x14a",
		"half a distance": "\x14a\x01", "distance 0": "\x14a\x00\x00\x10b",
		"too far":   "\x14a\x02\x00\x10b",
		"no length": "\xf0", "no length of a copy": "\x1fa\x01\x00\xff"} {
		_, ok := unLZ4([]byte(block), 10)
		assert.False(t, ok, name)
	}
}
