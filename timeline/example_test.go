package timeline_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/timeline"
)

func get[T any](v T, err error) T {
	do(err)
	return v
}

func do(err error) {
	if err != nil {
		panic(err)
	}
}

// begin makes a timeline and a stream of the host.
func begin() (context.Context, *timeline.Timeline, *event.Stream) {
	d := get(event.Open("host"))
	return context.Background(), get(timeline.New(timeline.Options{})), get(d.NewStream())
}

func work() error { time.Sleep(time.Millisecond); return nil }

func ExampleTimeline() {
	ctx, tl, s := begin()
	defer tl.Close(ctx)
	defer s.Close()

	span := tl.Begin(s, "gemm", timeline.Int("m", 4096), timeline.String("type", "f16"))
	do(s.HostFunc(work))
	do(span.End())
	do(tl.Flush(ctx))
	for _, it := range tl.Snapshot().Items {
		fmt.Println(it.Name, it.Attrs, it.Duration() >= time.Millisecond, it.Bound < time.Second)
	}
	fmt.Println(tl.Stats())
	// Output:
	// gemm [m=4096 type=f16] true true
	// 1 begun, 1 finished, 0 dropped, 0 overwritten, 0 failed, 0 captured, 0 abandoned
}

func ExampleSpan() {
	ctx, tl, s := begin()
	defer tl.Close(ctx)
	defer s.Close()
	other := get(s.Device().NewStream())
	defer other.Close()

	step := tl.Begin(s, "step")
	forward := step.Begin("forward") // nested
	do(s.HostFunc(work))
	do(forward.End())
	request := tl.BeginAsync(s, "request") // overlaps the step
	do(step.End())
	do(tl.Wait(other, step))
	do(request.EndOn(other)) // and ends on another stream
	do(tl.Flush(ctx))
	items := map[string]timeline.Item{}
	for _, it := range tl.Snapshot().Items {
		items[it.Name] = it
	}
	fmt.Println("forward is part of step:", items["forward"].Parent == step.ID())
	fmt.Println("the wait was for step:", items["wait"].From == step.ID())
	fmt.Println("request:", items["request"].Kind)
	// Output:
	// forward is part of step: true
	// the wait was for step: true
	// request: async
}

// exporter is the part of an OpenTelemetry tracer that a bridge needs: spans that begin and end at
// given times. With OpenTelemetry it is tracer.Start with trace.WithTimestamp, and span.End.
type exporter interface {
	Export(name string, start, end time.Time, attributes map[string]any, err error)
}

// bridge passes finished spans on.
func bridge(to exporter) func(timeline.Item) {
	return func(it timeline.Item) {
		if it.Kind != timeline.KindSpan && it.Kind != timeline.KindAsync {
			return
		}
		attributes := map[string]any{"gpu.clock.bound": it.Bound, "gpu.stream": it.Lane.Name}
		for _, a := range it.Attrs {
			attributes[a.Key] = a.Value()
		}
		to.Export(it.Name, it.Start, it.End, attributes, it.Err)
	}
}

type printer struct{}

func (printer) Export(name string, start, end time.Time, attributes map[string]any, err error) {
	fmt.Println(name, end.After(start), attributes["gpu.stream"], attributes["m"], err)
}

// A bridge to OpenTelemetry.
func ExampleTimeline_OnFinish() {
	ctx, tl, s := begin()
	defer tl.Close(ctx)
	defer s.Close()
	do(tl.NameStream(s, "compute"))

	stop := tl.OnFinish(bridge(printer{}))
	defer stop()
	span := tl.Begin(s, "gemm", timeline.Int("m", 4096))
	do(s.HostFunc(work))
	do(span.End())
	do(tl.Flush(ctx))
	// Output: gemm true compute 4096 <nil>
}

func ExampleLog() {
	ctx, tl, s := begin()
	defer tl.Close(ctx)
	defer s.Close()
	do(tl.NameStream(s, "compute"))

	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch a.Key {
			case "time", "start", "duration", "bound": // differ from run to run
				return slog.Attr{}
			}
			return a
		}}))
	tl.OnFinish(timeline.Log(logger, slog.LevelInfo))
	do(tl.Begin(s, "gemm", timeline.Int("m", 4096)).End())
	do(tl.Flush(ctx))
	// Output: level=INFO msg=gemm kind=span span=1 device=host stream=compute m=4096
}

func ExampleSnapshot() {
	ctx, tl, s := begin()
	defer s.Close()
	do(tl.NameStream(s, "compute"))
	do(tl.Begin(s, "gemm").End())
	tl.Counter("queue", 1)
	do(tl.Close(ctx)) // flushes; what is finished stays
	shot := tl.Snapshot()
	var trace, picture strings.Builder
	do(shot.WriteTrace(&trace))
	do(shot.WriteSVG(&picture, timeline.Picture{Title: "a step"}))
	fmt.Println(len(shot.Items), "items on", len(shot.Lanes()), "stream")
	fmt.Println(strings.Contains(trace.String(), `"name":"gemm"`), strings.Contains(picture.String(), "a step"))
	// Output:
	// 2 items on 1 stream
	// true true
}

func ExampleTimeline_Do() {
	ctx, tl, s := begin()
	defer tl.Close(ctx)
	defer s.Close()
	// In an execution trace, see go tool trace, this is a region of the goroutine too.
	err := tl.Do(ctx, s, "step", func(context.Context) error { return s.HostFunc(work) })
	do(tl.Flush(ctx))
	fmt.Println(err, tl.Snapshot().Items[0].Name)
	// Output: <nil> step
}

func ExampleTimeline_Clock() {
	d := get(event.Open("host"))
	tl := get(timeline.New(timeline.Options{Devices: []*event.Device{d}}))
	defer tl.Close(context.Background())
	c, known := tl.Clock(d)
	fmt.Println(known, c.Anchors > 0, c.Err)
	fmt.Fprintln(io.Discard, "the host's clock is", c)
	// Output: true true <nil>
}
