package timeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

// callAll calls each method of a timeline and returns the errors of those that have one.
func callAll(t *testing.T, tl *Timeline) map[string]error {
	t.Helper()
	s := stream(t, hostDevice(t))
	e, err := s.RecordNew()
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	ended := (*Timeline)(nil).Begin(s, "ended")
	require.NoError(t, ended.End())
	arguments := map[reflect.Type]any{
		reflect.TypeFor[*event.Stream](): s, reflect.TypeFor[*event.Event](): e,
		reflect.TypeFor[*event.Device](): s.Device(), reflect.TypeFor[Span](): ended,
		reflect.TypeFor[context.Context](): t.Context(), reflect.TypeFor[io.Writer](): io.Discard,
		reflect.TypeFor[func(Item)]():                  func(Item) {},
		reflect.TypeFor[func(context.Context) error](): func(context.Context) error { return nil },
	}
	errs := map[string]error{}
	v := reflect.ValueOf(tl)
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i)
		var in []reflect.Value
		for k := range method.Type().NumIn() {
			kind := method.Type().In(k)
			if arg, ok := arguments[kind]; ok {
				in = append(in, reflect.ValueOf(arg))
			} else if !method.Type().IsVariadic() || k < method.Type().NumIn()-1 {
				in = append(in, reflect.Zero(kind))
			}
		}
		for _, out := range method.Call(in) {
			switch x := out.Interface().(type) {
			case error:
				errs[name] = x
			case Span:
				errs[name] = x.Err()
				errs[name+", End"] = x.End()
			case func():
				x()
			default:
				if out.Type() == reflect.TypeFor[error]() {
					errs[name] = nil
				}
			}
		}
	}
	return errs
}

// TestNilTimelineIsOff calls each method of a nil timeline.
func TestNilTimelineIsOff(t *testing.T) {
	t.Parallel()
	errs := callAll(t, nil)
	assert.Len(t, errs, 15)
	for name, err := range errs {
		assert.NoError(t, err, name)
	}
	var tl *Timeline
	var trace, picture bytes.Buffer
	require.NoError(t, tl.WriteTrace(&trace))
	assert.Empty(t, parse(t, trace.Bytes()).TraceEvents)
	require.NoError(t, tl.WriteSVG(&picture, Picture{}))
	assert.NotEmpty(t, shapes(t, picture.Bytes()))
	ran := errors.New("f ran")
	assert.Equal(t, ran, tl.Do(t.Context(), nil, "x", func(context.Context) error { return ran }))
}

// TestZeroTimeline calls each method of a timeline that New did not make.
func TestZeroTimeline(t *testing.T) {
	t.Parallel()
	errs := callAll(t, new(Timeline))
	assert.Len(t, errs, 15)
	for name, err := range errs {
		if name == "Do" { // which returns f's error only
			assert.NoError(t, err)
			continue
		}
		assert.ErrorIs(t, err, ErrNoTimeline, name)
	}
}

// TestOffSpansOrderStreams has streams wait for spans of a nil timeline, also for one that ended on
// another stream.
func TestOffSpansOrderStreams(t *testing.T) {
	t.Parallel()
	d := hostDevice(t)
	a, b, c := stream(t, d), stream(t, d), stream(t, d)
	var off *Timeline
	for name, tl := range map[string]*Timeline{"nil": nil, "another": open(t, Options{})} {
		gate := make(chan struct{})
		var done atomic.Int32
		work := func() error { <-gate; done.Add(1); return nil }
		first, second := off.Begin(a, "x"), off.Begin(c, "y").Begin("inner").BeginOn(c, "innermost")
		assert.ErrorIs(t, tl.Wait(b, first), ErrOpen)
		require.NoError(t, errors.Join(a.HostFunc(work), first.End()))
		require.NoError(t, errors.Join(a.HostFunc(work), second.EndOn(a)))
		assert.ErrorIs(t, first.End(), ErrEnded)
		assert.Zero(t, first.ID())
		require.NoError(t, errors.Join(tl.Wait(b, first), tl.Wait(b, second)))
		seen := int32(-1)
		require.NoError(t, b.HostFunc(func() error { seen = done.Load(); return nil }))
		close(gate)
		require.NoError(t, b.Sync(), name)
		assert.EqualValues(t, 2, seen, name)
	}
}

// TestUnnamedStreams have names that differ, also where pictures shorten them.
func TestUnnamedStreams(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	d := hostDevice(t)
	names := map[string]bool{}
	for i := range 3 {
		s := stream(t, d)
		if i == 2 {
			s = d.DefaultStream()
		}
		require.NoError(t, tl.Begin(s, "x").End())
		require.NoError(t, tl.Flush(t.Context()))
	}
	for _, it := range flushed(t, tl).Items {
		names[fit(it.Lane.Name, labelWidth-14)] = true
	}
	assert.Equal(t, map[string]bool{"stream 1": true, "stream 2": true, "stream 3 (default)": true},
		names)
}
