package timeline

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event/eventsim"
)

// zero is the origin of items that are placed by hand.
var zero = time.Now()

func spanAt(id uint64, start, end int64) Item {
	return Item{ID: id, Name: strconv.FormatUint(id, 10), Lane: &Lane{},
		Start: zero.Add(time.Duration(start)), End: zero.Add(time.Duration(end))}
}

// waitAt is a wait on the stream of the spans.
func waitAt(id, from uint64, start, end int64) Item {
	it := spanAt(id, start, end)
	it.Kind, it.From = KindWait, from
	return it
}

// waitOn is a wait on a stream of another device.
func waitOn(id, from uint64, start, end int64) Item {
	it := waitAt(id, from, start, end)
	it.Lane.ID = 3
	return it
}

// placedBy returns a snapshot of two devices with two streams each, which the lanes' numbers
// choose.
func placedBy(t *testing.T, items []Item) *Snapshot {
	m := eventsim.New(t, eventsim.Config{Devices: 2})
	shot := &Snapshot{Origin: zero}
	var lanes []*Lane
	for _, d := range m.Devices() {
		shot.Devices = append(shot.Devices, DeviceClock{Device: d})
		for range 2 {
			n := len(lanes)
			lanes = append(lanes, &Lane{ID: 1 + n, Device: d, Name: "stream " + strconv.Itoa(n)})
		}
	}
	for _, it := range items {
		it.Lane = lanes[it.Lane.ID]
		it.EndLane = it.Lane
		shot.Items = append(shot.Items, it)
	}
	return shot
}

// oddTimes are items by what is odd about their times.
func oddTimes() map[string][]Item {
	const day = int64(24 * time.Hour)
	return map[string][]Item{
		"a wait of no length, and a span at once": {
			spanAt(1, 0, 10), waitAt(2, 1, 20, 20), spanAt(3, 20, 30), spanAt(4, 30, 30)},
		"waits that begin before, with and after what they wait for": {
			spanAt(1, 50, 100), waitOn(2, 1, 10, 110), waitOn(3, 1, 120, 120), waitOn(4, 1, 130, 140)},
		"a wait that is over before what it waits for begins": {
			spanAt(1, 50, 100), waitOn(2, 1, 40, 45)},
		"a wait for a span of no length, also of none itself": {
			spanAt(1, 50, 50), waitOn(2, 1, 50, 50), waitOn(3, 1, 60, 60), spanAt(4, 60, 70)},
		"many waits for one": {
			spanAt(1, 0, 10), waitOn(2, 1, 0, 10), waitOn(3, 1, 10, 12), waitOn(4, 1, 12, 20)},
		"before the origin": {spanAt(1, -100, -50), spanAt(2, -50, 10)},
		"of 100 days": {spanAt(1, 0, 100*day+1), spanAt(2, 50*day+1, 50*day+2),
			spanAt(3, 100*day+1, 100*day+2)},
	}
}

// oddNames are names that JSON, SQL or a viewer could trip over.
func oddNames() []string {
	return []string{" ", `"`, `""quoted""`, `\`, `\\`, `\"`, `"\`, `C:\`, `\u0041`, "a'b", "line\nfeed",
		"\ttab\r\n", "\x01\x1f\x7f", "</script><!--", "void gemm<float>&", "ä", "日本語",
		"🙂 and \U0001F468\u200D\U0001F4BB", "\u2028\u2029", "\u202Eright to left", "%s%n", "a,b;c",
		`{"ph":"X"}`, "args.x[0]", "NULL"}
}

// random returns a snapshot of spans, waits and marks in any places, whose times are off by their
// bounds.
func random(t *testing.T, seed uint64, n uint64) *Snapshot {
	r := rand.New(rand.NewPCG(seed, 11))
	var items []Item
	for id := uint64(1); id <= n; id++ {
		start := r.Int64N(1000)
		it := spanAt(id, start, start+r.Int64N(3)*r.Int64N(200))
		switch r.IntN(5) {
		case 0:
			it.Kind, it.From = KindWait, r.Uint64N(id)
		case 1:
			it.Kind = KindAsync
		case 2:
			it.Kind, it.End = KindMark, it.Start
		default:
			it.Parent = r.Uint64N(id)
		}
		it.Lane = &Lane{ID: r.IntN(4)}
		it.Bound = time.Duration(r.IntN(20))
		items = append(items, it)
	}
	return placedBy(t, items)
}
