package timeline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

func TestPerfetto(t *testing.T) {
	t.Parallel()
	findPerfetto(t).check(t, pictured(t))
}

func TestPerfettoOfNothing(t *testing.T) {
	t.Parallel()
	findPerfetto(t).check(t, open(t, Options{}).Snapshot())
}

// TestPerfettoPipeline has streams that wait for each other, most of them before what they wait for
// begins, and spans that end with the spans within them.
func TestPerfettoPipeline(t *testing.T) {
	t.Parallel()
	p := findPerfetto(t)
	everyVendor(t, func(t *testing.T, m *eventsim.Machine) {
		tl, err := New(Options{Devices: m.Devices()})
		require.NoError(t, err)
		load, compute, store := simStream(t, m.Device(0)), simStream(t, m.Device(1)),
			simStream(t, m.Device(1))
		for name, s := range map[string]*event.Stream{"load": load, "compute": compute, "store": store} {
			require.NoError(t, tl.NameStream(s, name))
		}
		for range 5 {
			loaded := tl.Begin(load, "load")
			m.Work(load, 3*time.Millisecond)
			require.NoError(t, loaded.End())
			require.NoError(t, tl.Wait(compute, loaded))
			computed := tl.Begin(compute, "compute")
			for range 3 {
				part := computed.Begin("part")
				m.Work(compute, time.Millisecond)
				require.NoError(t, part.End())
			}
			require.NoError(t, computed.End())
			require.NoError(t, tl.Wait(store, computed))
			stored := tl.Begin(store, "store")
			m.Work(store, 2*time.Millisecond)
			require.NoError(t, stored.End())
			require.NoError(t, errors.Join(tl.Wait(load, stored), tl.Wait(compute, stored)))
		}
		m.Advance(time.Minute)
		p.check(t, flushed(t, tl))
		require.NoError(t, errors.Join(load.Close(), compute.Close(), store.Close(),
			tl.Close(t.Context())))
	})
}

func everyVendor(t *testing.T, f func(*testing.T, *eventsim.Machine)) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(fmt.Sprint(b), func(t *testing.T) {
			t.Parallel()
			f(t, eventsim.New(t, eventsim.Config{Backend: b, Devices: 2}))
		})
	}
}

// TestPerfettoNames gives everything names that JSON or SQL could trip over.
func TestPerfettoNames(t *testing.T) {
	t.Parallel()
	names := append(oddNames(), "", strings.Repeat("long ", 10_000))
	p := findPerfetto(t)
	d := hostDevice(t)
	tl := open(t, Options{Devices: []*event.Device{d}})
	var values []string
	for i, name := range names {
		s := stream(t, d)
		require.NoError(t, tl.NameStream(s, name))
		span := tl.Begin(s, name, String("text", name), String("key "+name, strconv.Itoa(i)))
		require.NoError(t, tl.BeginAsync(s, name).End())
		require.NoError(t, span.End())
		require.NoError(t, tl.Wait(s, span))
		require.NoError(t, tl.Mark(s, name))
		tl.MarkNow(name)
		tl.Counter(name, float64(i))
		values = append(values, p.text(name))
	}
	rows := p.check(t, flushed(t, tl), query{`select string_value v
		from slice join args using (arg_set_id) where key = 'args.text'
		order by extract_arg(arg_set_id, 'args.span')`, []string{"v"}})
	var got []string
	for _, row := range rows[0] {
		got = append(got, row[0])
	}
	assert.Equal(t, values, got)
}

// TestPerfettoArguments has each kind of attribute.
func TestPerfettoArguments(t *testing.T) {
	t.Parallel()
	s := stream(t, hostDevice(t))
	tl := open(t, Options{})
	require.NoError(t, tl.Begin(s, "x", Int("int", int64(math.MinInt64)),
		Int("most", int64(math.MaxInt64)), Float("float", -1.5e300), Float("small", 5e-300),
		Float("inf", math.Inf(-1)), Float("nan", math.NaN()), Bool("bool", true),
		Duration("duration", time.Hour),
		String("string", "text")).End())
	rows := findPerfetto(t).check(t, flushed(t, tl), query{
		`select key, display_value v from slice join args using (arg_set_id)`, []string{"key", "v"}})
	got := map[string]string{}
	for _, row := range rows[0] {
		got[strings.TrimPrefix(row[0], "args.")] = row[1]
	}
	assert.Contains(t, got, "bound_ns")
	delete(got, "bound_ns")
	assert.Equal(t, map[string]string{"span": "1", "int": "-9223372036854775808",
		"most": "9223372036854775807", "float": "-1.5e+300", "small": "5.0e-300", "inf": "-Inf",
		"nan": "NaN", "bool": "true", "duration": "1h0m0s", "string": "text"}, got)
}

// TestPerfettoDropped has waits for spans that are not in the snapshot any more.
func TestPerfettoDropped(t *testing.T) {
	t.Parallel()
	d := hostDevice(t)
	a, b := stream(t, d), stream(t, d)
	tl := open(t, Options{Spans: 7})
	for range 10 {
		span := tl.Begin(a, "span")
		require.NoError(t, span.End())
		require.NoError(t, tl.Wait(b, span))
	}
	shot := flushed(t, tl)
	require.Len(t, shot.Items, 7)
	require.NotZero(t, shot.Stats.Overwritten)
	findPerfetto(t).check(t, shot)
}

// TestPerfettoTimes places spans and waits by hand.
func TestPerfettoTimes(t *testing.T) {
	t.Parallel()
	for name, items := range oddTimes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findPerfetto(t).check(t, placedBy(t, items))
		})
	}
}

// TestPerfettoRandom has spans, waits and marks in any places, whose times are off by their bounds.
func TestPerfettoRandom(t *testing.T) {
	t.Parallel()
	p := findPerfetto(t)
	for seed := range uint64(4) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			p.check(t, random(t, seed, 400))
		})
	}
}
