package event

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Wakes is a histogram of wake-up latencies: the time from the moment at which this package has
// learned that a record has ended, from the poller's query or from the host device, until the
// goroutine that waited for it runs. It says how busy the process and its processors are. How long
// the poller took to query is not part of it, since no driver reports when the work ended.
//
// A wait that finds the record ended, without being held up, is not counted.
type Wakes struct {
	Count uint64
	Total time.Duration
	Max   time.Duration
	// Buckets count the latencies by powers of two, shortest first.
	Buckets []WakeBucket
}

// WakeBucket counts the latencies that are below a bound, and not below that of the bucket before.
type WakeBucket struct {
	Below time.Duration // 0 in the last bucket, which has no bound
	Count uint64
}

// Mean returns the mean latency.
func (w Wakes) Mean() time.Duration {
	if w.Count == 0 {
		return 0
	}
	return w.Total / time.Duration(w.Count)
}

// Quantile returns a latency that a part of the wake-ups, 0 to 1, did not exceed: the bound of the
// bucket in which the quantile lies, or the maximum if that is less.
func (w Wakes) Quantile(part float64) time.Duration {
	want := part * float64(w.Count)
	var sum uint64
	for _, b := range w.Buckets {
		if sum += b.Count; b.Count > 0 && float64(sum) >= want && b.Below != 0 {
			return min(b.Below, w.Max)
		}
	}
	return w.Max
}

const (
	firstBound = time.Microsecond
	// wakeBuckets bounds latencies up to about a second.
	wakeBuckets = 22
)

// wakes counts wake-up latencies.
type wakes struct {
	buckets    [wakeBuckets]atomic.Uint64
	total, max atomic.Int64
}

// note counts a latency.
func (w *wakes) note(d time.Duration) {
	w.buckets[bucketOf(d)].Add(1)
	w.total.Add(int64(d))
	for {
		most := w.max.Load()
		if int64(d) <= most || w.max.CompareAndSwap(most, int64(d)) {
			return
		}
	}
}

// bucketOf returns the number of a latency's bucket: bucket i ends at firstBound << i.
func bucketOf(d time.Duration) int {
	return min(bits.Len64(uint64(max(d, 0)/firstBound)), wakeBuckets-1)
}

func (w *wakes) read() Wakes {
	r := Wakes{Total: time.Duration(w.total.Load()), Max: time.Duration(w.max.Load())}
	for i := range w.buckets {
		b := WakeBucket{firstBound << i, w.buckets[i].Load()}
		if i == wakeBuckets-1 {
			b.Below = 0
		}
		r.Buckets = append(r.Buckets, b)
		r.Count += b.Count
	}
	return r
}

// began is when the process began.
var began = time.Now()

// now returns the time since then.
func now() time.Duration { return time.Since(began) }

// learned notes when this package learned that the record has ended, if latencies are counted.
func (c *completion) learned() {
	if counting.Load() {
		c.known = now()
	}
}

// woken counts the wake-up of the calling goroutine, which waited for the completion's end.
func (c *completion) woken() {
	if c.known != 0 {
		c.event.home.counts.wakes.note(now() - c.known)
	}
}
