package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// Each part of a request makes another key, and no part can pass for another.
func TestKeys(t *testing.T) {
	t.Parallel()
	r := func() compiler.Request {
		return compiler.Request{Text: "text", Name: "name", Headers: map[string]string{"a": "b"},
			Options: []string{"-x", "-y"}, Names: []string{"f", "g"}, Target: "sm_90"}
	}
	first := KeyOf("cuda", r(), "one")
	assert.Equal(t, first, KeyOf("cuda", r(), "one"))
	assert.Len(t, first.String(), 64)
	seen := map[Key]string{first: "the first"}
	add := func(name string, k Key) {
		assert.Empty(t, seen[k], "%s has the key of %s", name, seen[k])
		seen[k] = name
	}
	add("backend", KeyOf("hip", r(), "one"))
	add("compiler", KeyOf("cuda", r(), "two"))
	for name, change := range map[string]func(*compiler.Request){
		"text":           func(r *compiler.Request) { r.Text = "texts" },
		"name":           func(r *compiler.Request) { r.Name = "names" },
		"no name":        func(r *compiler.Request) { r.Name = "" },
		"text and name":  func(r *compiler.Request) { r.Text, r.Name = "tex", "tname" },
		"header":         func(r *compiler.Request) { r.Headers["a"] = "c" },
		"header's name":  func(r *compiler.Request) { r.Headers = map[string]string{"c": "b"} },
		"header's end":   func(r *compiler.Request) { r.Headers = map[string]string{"ab": ""} },
		"two headers":    func(r *compiler.Request) { r.Headers["b"] = "" },
		"no headers":     func(r *compiler.Request) { r.Headers = nil },
		"options' order": func(r *compiler.Request) { r.Options = []string{"-y", "-x"} },
		"one option":     func(r *compiler.Request) { r.Options = []string{"-x-y"} },
		"no names":       func(r *compiler.Request) { r.Names = nil },
		"name or option": func(r *compiler.Request) {
			r.Options, r.Names = []string{"-x", "-y", "f"}, []string{"g"}
		},
		"target": func(r *compiler.Request) { r.Target = "sm_90a" },
	} {
		x := r()
		change(&x)
		add(name, KeyOf("cuda", x, "one"))
	}
	same := r()
	same.Names = []string{"g", "f", "g"}
	assert.Equal(t, first, KeyOf("cuda", same, "one"), "the order of names does not matter")
	assert.Equal(t, []string{"g", "f", "g"}, same.Names)
	named := r()
	named.Name = "kernel.cu"
	assert.Equal(t, seen[KeyOf("cuda", named, "one")], "no name", "that is the default")
}

// A request without a target is compiled for the device that is current.
func TestHIPWithoutATargetIsNotKept(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, hipCacheable(compiler.Request{Text: "x"}), compiler.ErrNotCacheable)
	assert.NoError(t, hipCacheable(compiler.Request{Text: "x", Target: "gfx90a"}))
}
