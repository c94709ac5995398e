package timeline

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check compares what Perfetto makes of a snapshot's trace with the snapshot, and returns the
// results of further queries.
func (p perfetto) check(t *testing.T, shot *Snapshot, further ...query) [][][]string {
	t.Helper()
	var data bytes.Buffer
	require.NoError(t, shot.WriteTrace(&data))
	got := p.open(t, data.Bytes(), append([]query{lanesQuery, slicesQuery, countersQuery, arrowsQuery},
		further...)...)
	p.checkLanes(t, shot, got[0])
	p.checkItems(t, shot, got[1], got[2])
	p.checkArrows(t, shot, got[3])
	return got[4:]
}

// lanesQuery leaves out main threads, which Perfetto shows before others.
var lanesQuery = query{`select process.name p, thread.name t
	from thread join process using (upid)
	where utid in (select utid from thread_track) and not is_main_thread
	order by ifnull(extract_arg(process.arg_set_id, 'process_sort_index_hint'), pid), tid`,
	[]string{"p", "t"}}

var slicesQuery = query{`select s.name n, category c, process.name p, thread.name t, ts, dur,
		extract_arg(s.arg_set_id, 'args.span') id, depth
	from slice s left join thread_track tt on tt.id = s.track_id left join thread using (utid)
		left join process_track pt on pt.id = s.track_id
		left join process on process.upid = ifnull(thread.upid, pt.upid)`,
	[]string{"n", "c", "p", "t", "ts", "dur", "id", "depth"}}

var countersQuery = query{`select t.name n, process.name p, ts, printf('%!.17g', value) v
	from counter join process_counter_track t on t.id = track_id join process using (upid)`,
	[]string{"n", "p", "ts", "v"}}

var arrowsQuery = query{`select ifnull(extract_arg(o.arg_set_id, 'args.span'),
			extract_arg(o.arg_set_id, 'args.end of')) begins,
		extract_arg(i.arg_set_id, 'args.wait') ends, o.ts > i.ts back
	from flow join slice o on o.id = slice_out join slice i on i.id = slice_in`,
	[]string{"begins", "ends", "back"}}

func processName(l *Lane) string {
	if l == nil {
		return "host calls"
	}
	return l.Device.String() + " " + l.Device.Name()
}

// checkLanes compares names and order of processes and threads.
func (p perfetto) checkLanes(t *testing.T, shot *Snapshot, rows [][]string) {
	t.Helper()
	var want [][]string
	for _, l := range shot.Lanes() { // which are in order
		want = append(want, []string{processName(l), p.text(l.Name)})
	}
	assert.Equal(t, want, rows)
}

// seen is an item as Perfetto has it.
type seen struct {
	name, kind, process, thread, value string
	start, length                      time.Duration
}

// checkItems compares slices, of spans, waits and marks, and counters.
func (p perfetto) checkItems(t *testing.T, shot *Snapshot, slices, values [][]string) {
	t.Helper()
	want, got := map[string]seen{}, map[string]seen{}
	depths, counters := map[string]int{}, []seen(nil)
	var shift time.Duration
	for _, lay := range shot.layouts() {
		for _, list := range [...][]*placed{lay.spans, lay.async, lay.points} {
			for _, it := range list {
				shift = max(shift, -it.start)
			}
		}
	}
	for _, lay := range shot.layouts() {
		for _, it := range lay.spans {
			if it.end > it.start { // those of no length lie in each other, also without being nested
				depths[strconv.FormatUint(it.ID, 10)] = it.depth
			}
		}
		for _, list := range [...][]*placed{lay.spans, lay.async, lay.points} {
			for _, it := range list {
				s := seen{name: p.text(it.Name), kind: it.Kind.String(), process: processName(it.Lane),
					start: it.start + shift, length: it.end - it.start}
				if it.Lane != nil && it.Kind != KindAsync && !it.apart {
					s.thread = p.text(it.Lane.Name)
				}
				switch {
				case it.Kind == KindCounter && finite(it.Value):
					s.name, s.kind, s.thread = p.text(it.Name)+" value", "", ""
					s.value = strconv.FormatFloat(it.Value, 'g', -1, 64)
					counters = append(counters, s)
				case it.Kind != KindCounter:
					want[strconv.FormatUint(it.ID, 10)] = s
				}
			}
		}
	}
	for _, row := range slices {
		if row[6] == "" {
			assert.True(t, row[0] == resumed || row[1] == "end", "%v", row)
			continue
		}
		_, twice := got[row[6]]
		assert.False(t, twice, "two slices of item %s", row[6])
		got[row[6]] = seen{name: strings.TrimPrefix(row[0], "[No name]"), kind: row[1], process: row[2],
			thread: row[3], start: nanoseconds(t, row[4]), length: nanoseconds(t, row[5])}
		if depth, ok := depths[row[6]]; ok {
			assert.Equal(t, strconv.Itoa(depth), row[7], "the depth of %+v", got[row[6]])
		}
	}
	assert.Equal(t, want, got)

	var counted []seen
	for _, row := range values {
		v, err := strconv.ParseFloat(row[3], 64)
		require.NoError(t, err)
		counted = append(counted, seen{name: row[0], process: row[1], start: nanoseconds(t, row[2]),
			value: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	assert.ElementsMatch(t, counters, counted)
}

func nanoseconds(t *testing.T, text string) time.Duration {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return time.Duration(n)
}

// checkArrows compares the flows with the waits whose other ends are in the snapshot.
func (p perfetto) checkArrows(t *testing.T, shot *Snapshot, rows [][]string) {
	t.Helper()
	there := map[uint64]bool{}
	for _, it := range shot.Items {
		there[it.ID] = true
	}
	var want, got []string
	for _, it := range shot.Items {
		if it.Kind == KindWait && there[it.From] {
			want = append(want, fmt.Sprintf("%d to %d", it.From, it.ID))
		}
	}
	for _, row := range rows {
		got = append(got, row[0]+" to "+row[1])
		assert.Equal(t, "0", row[2])
	}
	assert.ElementsMatch(t, want, got)
}
