package timeline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/trace"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAttrs(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Attr{
		"k=text":                String("k", "text"),
		"k=-3":                  Int("k", int8(-3)),
		"k=9223372036854775807": Int("k", int64(math.MaxInt64)),
		"k=0.5":                 Float("k", 0.5),
		"k=true":                Bool("k", true),
		"k=false":               Bool("k", false),
		"k=3ms":                 Duration("k", 3*time.Millisecond),
	} {
		assert.Equal(t, want, a.String())
		logged := a.slog()
		assert.Equal(t, want, logged.Key+"="+logged.Value.String())
		assert.Equal(t, a.Value(), logged.Value.Any())
	}
}

func TestLogOfFailures(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := Log(slog.New(slog.NewTextHandler(&out, nil)), slog.LevelDebug)
	log(Item{Name: "quiet"})
	assert.Empty(t, out.String())
	log(Item{Name: "loud", Kind: KindWait, Parent: 7, Err: errors.New("lost")})
	assert.Contains(t, out.String(), "level=ERROR msg=loud kind=wait span=0 parent=7 error=lost")
	log = Log(slog.New(slog.NewTextHandler(&out, nil)), slog.LevelInfo)
	log(Item{Name: "memory", Kind: KindCounter, Value: 2.5})
	assert.Contains(t, out.String(), "value=2.5")
	log(Item{Name: "here", Kind: KindMark, Attrs: []Attr{Int("n", 1)}})
	assert.Contains(t, out.String(), "n=1")
	assert.Equal(t, "Kind(?)", Kind(99).String())
}

// TestDoInAnExecutionTrace can't run beside other tests that trace.
func TestDoInAnExecutionTrace(t *testing.T) {
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	var out bytes.Buffer
	require.NoError(t, trace.Start(&out))
	failed := errors.New("f's own")
	assert.Equal(t, failed, tl.Do(context.Background(), s, "a region of ours",
		func(context.Context) error { return failed }))
	assert.Panics(t, func() {
		_ = tl.Do(context.Background(), s, "panics", func(context.Context) error { panic("by request") })
	})
	trace.Stop()
	assert.Contains(t, out.String(), "a region of ours")
	assert.Contains(t, out.String(), "span 1 on host stream")
	assert.Len(t, flushed(t, tl).Items, 2, "ended all the same")
}
