package image_test

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// check reads any bytes and checks what holds of every result.
func check(t *testing.T, b []byte) {
	im, err := image.Read(b)
	if err != nil {
		var e *image.Error
		if im != nil || !errors.As(err, &e) || e.What == "" || strings.Contains(err.Error(), "%!") {
			t.Fatalf("%v, %+v", im, err)
		}
		if errors.Is(err, image.ErrNotImage) != (e.Kind == image.Unknown || e.Kind == image.Wrapper) {
			t.Fatalf("%v of kind %v", err, e.Kind)
		}
		return
	}
	if im.Kind != image.KindOf(b) {
		t.Fatalf("%v is not %v", im.Kind, image.KindOf(b))
	}
	for i, k := range im.Kernels {
		got, ok := im.Kernel(k.Name)
		if !ok || got.Name != k.Name {
			t.Fatalf("kernel %d, %q, is not found", i, k.Name)
		}
		if !k.ParamsKnown && (k.Params != nil || k.ParamSize != 0) {
			t.Fatalf("kernel %q: %+v", k.Name, k)
		}
		end := uint32(0)
		for _, p := range k.Params {
			if p.Offset < end || p.Offset+p.Size < p.Offset {
				t.Fatalf("kernel %q: %+v", k.Name, k.Params)
			}
			end = p.Offset + p.Size
		}
		if end != k.ParamSize {
			t.Fatalf("kernel %q: parameters end at %d, not %d", k.Name, end, k.ParamSize)
		}
	}
	for _, g := range im.Globals {
		if got, ok := im.Global(g.Name); !ok || got != g || g.Size == 0 {
			t.Fatalf("variable %+v, %+v", g, got)
		}
	}
	for _, e := range im.Entries {
		if e.Size < 0 || e.Offset < 0 {
			t.Fatalf("entry %+v", e)
		}
	}
}

// stride is between the places of an image that a test tries.
func stride(size int) int {
	if testing.Short() {
		return 1 + size/100
	}
	return 1 + size/500
}

// An image that ends early is read as far as it goes or is an error, never a panic.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := stride(len(data))
			for n := 0; n < len(data); n += step {
				check(t, data[:n])
			}
			_, err := image.Read(data[:len(data)*3/4])
			if image.KindOf(data) == image.PTX {
				require.Error(t, err)
			} else {
				require.ErrorIs(t, err, image.ErrTruncated)
			}
		})
	}
}

// A byte that changed makes another image or an error, never a panic.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := stride(len(data))
			for i := 0; i < len(data); i += step {
				was := data[i]
				for _, b := range []byte{0, 1, 0x7f, 0xff, was ^ 0x80} {
					data[i] = b
					check(t, data)
				}
				data[i] = was
			}
		})
	}
}

var le = binary.LittleEndian

// moveSections adjusts an ELF file after n bytes were inserted.
func moveSections(b []byte, behind, n uint64) {
	at := le.Uint64(b[40:]) + n
	le.PutUint64(b[40:], at)
	for h := b[at:]; len(h) >= 64; h = h[64:] {
		if offset := le.Uint64(h[24:]); offset > behind {
			le.PutUint64(h[24:], offset+n)
		}
	}
}

// hostile are images that say they are much larger than they are.
func hostile() map[string][]byte {
	cubin := images.Cubin("sm_90", kernels...)
	sections := append([]byte(nil), cubin...) // what is told of each kernel is the whole file
	at := le.Uint64(sections[40:])
	for h := sections[at:]; len(h) >= 64; h = h[64:] {
		if le.Uint32(h[4:]) == 0x70000000 {
			le.PutUint64(h[24:], 0)
			le.PutUint64(h[32:], uint64(len(sections)))
		}
	}
	endless := append([]byte(nil), cubin...) // the number of sections is in the first one
	le.PutUint16(endless[60:], 0)
	le.PutUint64(endless[at+32:], 1<<60)
	amd := images.CodeObject("gfx1100", kernels...)
	many := []byte(strings.Replace(string(amd), "\xaeamdhsa.kernels\x94",
		"\xaeamdhsa.kernels\xdd\xff\xff\xff\xff", 1))
	moveSections(many, uint64(strings.Index(string(amd), "\xaeamdhsa.kernels")), 4)
	deep := append([]byte(nil), amd...)
	args := strings.Index(string(deep), "\xa5.args")
	copy(deep[args:], "\xa5.none"+strings.Repeat("\x91", 100))
	bundle := images.Bundle(images.Part{Target: "gfx1100", Data: amd},
		images.Part{Target: "gfx1100", Data: amd})
	entries := append([]byte(nil), bundle...)
	le.PutUint64(entries[24:], 1<<61)
	twice := append([]byte(nil), bundle...)
	for i := range len(twice) - 16 { // both device entries are the whole bundle
		if le.Uint64(twice[i:]) == uint64(len(amd)) {
			le.PutUint64(twice[i-8:], 0)
			le.PutUint64(twice[i:], uint64(len(twice)))
		}
	}
	lz4 := images.FatbinLZ4(images.Part{Target: "sm_90", Data: cubin})
	le.PutUint64(lz4[16+56:], 1<<62)
	return map[string][]byte{"sections over each other": sections, "endless sections": endless,
		"endless kernels": many, "deep metadata": deep, "endless entries": entries,
		"entries over each other": twice, "endless LZ4": lz4,
		"a zlib bomb": images.CompressedBundle(3, make([]byte, 64<<20))}
}

func TestHostile(t *testing.T) {
	want := map[string]error{"sections over each other": image.ErrMalformed,
		"endless sections": image.ErrTruncated, "endless kernels": image.ErrMalformed,
		"deep metadata": image.ErrMalformed, "endless entries": image.ErrTruncated,
		"entries over each other": image.ErrMalformed, "endless LZ4": nil, "a zlib bomb": nil}
	for name, data := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		im, err := image.Read(data)
		runtime.ReadMemStats(&after)
		assert.ErrorIs(t, err, want[name], name)
		if want[name] == nil {
			assert.NotEmpty(t, im.Unread, name)
		}
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*len(data)+1<<20), name)
		check(t, data)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range samples() {
		if len(data) < 8<<10 { // bundles are mostly zeros between pages
			f.Add(data)
		}
	}
	part := images.Part{Target: "gfx1100", Data: images.CodeObject("gfx1100", kernels[0])}
	f.Add(images.Bundle(part)[:4096+len(part.Data)])
	f.Add(images.CompressedBundle(2, images.Bundle(part)))
	for name, data := range hostile() {
		if name != "a zlib bomb" {
			f.Add(data)
		}
	}
	f.Add([]byte(hostELF(62)))
	f.Add([]byte("__global__ void k() {}"))
	f.Fuzz(func(t *testing.T, b []byte) { check(t, b) })
}
