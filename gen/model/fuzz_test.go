package model

import (
	"bytes"
	"testing"
)

// FuzzSpec shows that whatever stands in a spec file, reading it gives an error or a model that can
// be written, read, taken apart into its versions, merged again and compared, all without a panic.
func FuzzSpec(f *testing.F) {
	data, err := small().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"api":"hip","versions":[{"name":"1.0","number":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode("fuzz.json", data)
		if err != nil {
			return
		}
		once, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode("fuzz.json", once)
		if err != nil {
			t.Fatalf("what was written can't be read: %v\n%s", err, once)
		}
		if twice, err := back.Encode(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("written twice, it differs: %v\n%s\n%s", err, once, twice)
		}
		var releases []Release
		for _, v := range m.Versions {
			r, err := m.Release(v.Name)
			if err != nil {
				t.Fatal(err)
			}
			releases = append(releases, r)
			Compare(releases[0], r).Markdown()
		}
		if _, err := Merge(releases); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzType shows that a type that parses is spelled in one way only.
func FuzzType(f *testing.F) {
	f.Add("const char *const *[3][4]")
	f.Add("int (*const)[3]")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Type(s).Parse()
		if err != nil {
			return
		}
		again, err := c.Type().Parse()
		if err != nil || again.Type() != c.Type() {
			t.Fatalf("%q is spelled %q, which gives %v, %v", s, c.Type(), again, err)
		}
	})
}
