package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// options say how to measure.
type options struct {
	rounds int           // of every way
	round  time.Duration // about how long each takes
	seed   uint64        // of the order of ways in a round
}

// series are the rounds of one way.
type series struct {
	way    way
	n      int // operations of a round
	wall   []float64
	cpu    []float64
	thread []float64
	calls  int // of the driver, in all rounds
	allocs float64
	bytes  float64
}

// measure times all ways of all rows in turns: a round goes through all rows, and through the ways
// of a row in another order each time, so that what happens to the machine happens to all alike.
// Every round's calls are counted, and another number than there should be is an error.
func measure(rows []row, o options) ([]report.Row, error) {
	runtime.LockOSThread() // whose calls are counted, and whose CPU time is taken
	defer runtime.UnlockOSThread()
	defer setInside(false)
	all := make([][]*series, len(rows))
	for i := range rows {
		for _, w := range rows[i].ways {
			s := &series{way: w}
			if err := s.calibrate(&rows[i], o.round); err != nil {
				return nil, err
			}
			all[i] = append(all[i], s)
		}
	}
	shuffle := rand.New(rand.NewPCG(o.seed, 0))
	for range o.rounds {
		for i, ways := range all {
			for _, k := range shuffle.Perm(len(ways)) {
				if err := ways[k].round(&rows[i]); err != nil {
					return nil, err
				}
			}
		}
	}
	var results []report.Row
	for i, ways := range all {
		results = append(results, rows[i].result(ways))
	}
	return results, nil
}

// calibrate finds how many operations make a round, and what one allocates.
func (s *series) calibrate(r *row, round time.Duration) error {
	const enough = 200 * time.Microsecond
	for s.n = 100; ; s.n *= 2 {
		took, _, err := s.time(r)
		if err != nil {
			return err
		}
		if took.wall > enough.Nanoseconds() {
			s.n = max(100, int(float64(s.n)*float64(round.Nanoseconds())/float64(took.wall)))
			return s.countAllocations(r)
		}
	}
}

// countAllocations takes the least of several counts, for others in the process may allocate.
func (s *series) countAllocations(r *row) error {
	const operations = 2000
	for i := range 3 {
		if err := r.prepare(); err != nil {
			return err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := s.way.run(operations); err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
		allocs := float64(after.Mallocs-before.Mallocs) / operations
		bytes := float64(after.TotalAlloc-before.TotalAlloc) / operations
		if i == 0 || allocs < s.allocs {
			s.allocs, s.bytes = allocs, bytes
		}
	}
	return nil
}

// round is one more round. What a way leaves to the collector is collected afterwards, so that
// nobody pays for another's garbage.
func (s *series) round(r *row) error {
	took, calls, err := s.time(r)
	if err != nil {
		return err
	}
	s.calls += calls
	n := float64(s.n)
	s.wall = append(s.wall, float64(took.wall)/n)
	s.cpu = append(s.cpu, float64(took.process)/n)
	s.thread = append(s.thread, float64(took.thread)/n)
	if s.allocs >= 0.5 {
		runtime.GC()
	}
	return nil
}

// time makes n operations, after some that warm up, and checks that they made the calls they
// should.
func (s *series) time(r *row) (took clocks, calls int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %s: %s: %w", r.api, r.name, s.way.name, err)
		}
	}()
	if err := r.prepare(); err != nil {
		return took, 0, err
	}
	if err := s.way.run(100); err != nil {
		return took, 0, err
	}
	before := tallied()
	began := readClocks()
	err = s.way.run(s.n)
	ended := readClocks()
	if err != nil {
		return took, 0, err
	}
	made := tallied().since(before)
	took = ended.since(began)
	return took, made.sum(), r.check(s.way.name, s.n, made)
}

// result sums a row's rounds up.
func (r *row) result(ways []*series) report.Row {
	out := report.Row{API: r.api, Name: r.name, Target: r.target, Cells: map[string]report.Cell{}}
	for _, s := range ways {
		operations := s.n * len(s.wall)
		out.Cells[s.way.name] = report.Cell{
			Operations: operations,
			Calls:      float64(s.calls) / float64(operations),
			CPU:        report.StatOf(s.cpu),
			Thread:     report.StatOf(s.thread),
			Wall:       report.StatOf(s.wall),
			Allocs:     s.allocs,
			Bytes:      s.bytes,
		}
	}
	return out
}
