package timeline

import (
	"context"
	"log/slog"
	"math"
	"runtime/trace"

	"github.com/gpuevent/gpuevent/event"
)

// Log returns a function for [Timeline.OnFinish] that logs each item with a logger of log/slog:
// its name is the message, and its times, stream and attributes are attributes. Items without times
// are logged as errors.
func Log(l *slog.Logger, level slog.Level) func(Item) {
	return func(it Item) {
		ctx := context.Background()
		at := level
		if it.Err != nil {
			at = max(level, slog.LevelError)
		}
		if l.Enabled(ctx, at) {
			l.LogAttrs(ctx, at, it.Name, it.logAttrs()...)
		}
	}
}

func (it Item) logAttrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("kind", it.Kind.String()), slog.Uint64("span", it.ID)}
	if it.Parent != 0 {
		attrs = append(attrs, slog.Uint64("parent", it.Parent))
	}
	if it.Lane != nil {
		attrs = append(attrs, slog.String("device", it.Lane.Device.String()),
			slog.String("stream", it.Lane.Name))
	}
	switch {
	case it.Err != nil:
		attrs = append(attrs, slog.Any("error", it.Err))
	case it.Kind == KindCounter:
		attrs = append(attrs, slog.Time("at", it.Start), slog.Float64("value", it.Value))
	case it.Kind == KindMark:
		attrs = append(attrs, slog.Time("at", it.Start), slog.Duration("bound", it.Bound))
	default:
		attrs = append(attrs, slog.Time("start", it.Start), slog.Duration("duration", it.Duration()),
			slog.Duration("bound", it.Bound))
	}
	for _, a := range it.Attrs {
		attrs = append(attrs, a.slog())
	}
	return attrs
}

// Do runs f, which enqueues work on a stream, between the begin and the end of a span. In an
// execution trace (runtime/trace) f is a region of the same name, and a log message has the span's
// number: so the goroutine that enqueued work is found from the work, and the other way round. The
// context carries the task, if there is one. Do returns f's error, and drops the span's.
func (tl *Timeline) Do(ctx context.Context, s *event.Stream, name string,
	f func(context.Context) error, attrs ...Attr) error {
	span := tl.Begin(s, name, attrs...)
	defer span.End() // also if f panics
	if !trace.IsEnabled() {
		return f(ctx)
	}
	defer trace.StartRegion(ctx, name).End()
	trace.Logf(ctx, "timeline", "span %d on %v", span.ID(), s)
	return f(ctx)
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
