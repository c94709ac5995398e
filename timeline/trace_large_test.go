package timeline

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var largeSpans = flag.Int("timeline.spans", 0, "measure memory and time of a trace of this many "+
	"spans, alone in the process")

// TestTraceInGroups writes items in small groups and at once: the traces have the same events.
func TestTraceInGroups(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		shot := random(t, seed, 300)
		write := func(group int, runs ...run) []string {
			var data bytes.Buffer
			require.NoError(t, shot.writeTrace(&data, newWalk(shot.Origin, runs, group)))
			parse(t, data.Bytes())
			lines := strings.Split(strings.ReplaceAll(data.String(), "},\n", "}\n"), "\n")
			slices.Sort(lines)
			return lines
		}
		var parts []run
		for part := range slices.Chunk(shot.Items, 40) {
			parts = append(parts, itemRun(part))
		}
		assert.Equal(t, write(groupSize, itemRun(shot.Items)), write(10, parts...), "seed %d", seed)
	}
}

// TestTraceStreams writes a trace whose items are never in memory at once.
func TestTraceStreams(t *testing.T) {
	t.Parallel()
	const n = 10 * groupSize
	ring := ring{most: n}
	l := new(label)
	l.Store(&Lane{ID: 1, Device: hostDevice(t), Name: "stream"})
	for id := range uint64(n) {
		start := int64(id) * 1000
		ring.put(&record{id: id + 1, name: "x", lane: l, endLane: l, start: start, end: start + 900,
			bound: 200})
	}
	shot := &Snapshot{Origin: zero, Devices: []DeviceClock{{Device: l.Load().Device}}}
	items := newWalk(zero, ring.runs(zero), groupSize)
	count := &counter{}
	require.NoError(t, shot.writeTrace(count, items))
	const about = 5 // the device and the stream
	assert.Equal(t, n+about+2, count.lines)
	assert.Less(t, items.most, 2*groupSize)
}

// counter counts lines.
type counter struct{ lines int }

func (c *counter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

// TestLargeTrace measures a trace of -timeline.spans spans with the memory of the whole process.
func TestLargeTrace(t *testing.T) {
	if *largeSpans == 0 {
		t.Skip("long: -args -timeline.spans=10000000 measures a trace of that many spans")
	}
	tl, err := New(Options{Spans: *largeSpans})
	require.NoError(t, err)
	s := stream(t, hostDevice(t))
	began := time.Now()
	const chunk = 2000
	for range *largeSpans / chunk {
		for range chunk / 2 {
			outer := tl.Begin(s, "outer")
			require.NoError(t, outer.Begin("inner").End())
			require.NoError(t, outer.End())
		}
		require.NoError(t, tl.Flush(context.Background()))
	}
	took := time.Since(began)
	require.Equal(t, uint64(*largeSpans/chunk*chunk), tl.Stats().Finished)
	atEnd := megabytes(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "trace.json"))
	require.NoError(t, err)
	defer file.Close()
	began = time.Now()
	require.NoError(t, tl.WriteTrace(file))
	wrote := time.Since(began)
	about, err := file.Stat()
	require.NoError(t, err)
	t.Logf("%d spans in %v; written in %v, %d MB; peak of the process %d MB when they were "+
		"finished, %d MB at the end", *largeSpans, took, wrote, about.Size()/1e6, atEnd, megabytes(t))
	if *largeSpans <= 10_000_000 {
		assert.Less(t, megabytes(t), 200)
	}
	require.NoError(t, tl.Close(context.Background()))
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// megabytes is the most memory that the process has had.
func megabytes(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err, "only Linux has this figure")
	kB, err := strconv.Atoi(string(highWater.FindSubmatch(status)[1]))
	require.NoError(t, err)
	return kB / 1000
}
