package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/internal/testing/computesoak"
	"github.com/gpuevent/gpuevent/internal/testing/soak"
)

// part is one run in a process of its own.
type part struct {
	Name    string
	Of      string
	Device  string
	Seed    uint64
	Time    time.Duration
	Without []string
}

// result is what came of a part.
type result struct {
	Counts     map[string]int64
	Wrong      []string
	Impossible string // why there was no run
	Text       string // in words
}

// partEnv holds the part that a process runs.
const partEnv = "GPUEVENT_GPUKIT_SOAK"

// parts divides the time.
func (o options) parts(of string) []part {
	limit := o.limit
	switch {
	case len(o.of) == 1:
	case of == "event":
		limit -= limit / 3
	default:
		limit /= 3
	}
	p := part{Name: of, Of: of, Device: o.device, Seed: o.seed, Time: limit}
	if of == "compute" {
		return []part{p}
	}
	plain, some, all := p, p, p
	plain.Name, plain.Time, plain.Without = "event without captures", limit/2, []string{"capture"}
	some.Name, some.Time, some.Without = "event with captures", limit/4, []string{withoutGlobal}
	all.Name, all.Time = "event with captures in global mode", limit-limit/2-limit/4
	return []part{plain, some, all}
}

// withoutGlobal leaves out what the soak calls so.
const withoutGlobal = "global capture"

func leftOut(of string) []string {
	if of == "compute" {
		return computesoak.LeftOut()
	}
	return soak.LeftOut()
}

// grace is how much longer than its time a part may take: to find that something hangs, and to
// close everything.
const grace = time.Minute

// process runs the part in a process of its own, which writes its result to stdout. Without one
// it hung or crashed, and stderr says how.
func (p part) process(stdout io.Writer) (r result) {
	text, err := json.Marshal(p)
	if err != nil {
		return result{Wrong: []string{err.Error()}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.Time+grace)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), partEnv+"="+string(text), "GOTRACEBACK=all")
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	ended := cmd.Run()
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		const most = 20_000 // of what a process says that has to be ended
		said := failed.String()
		r.Wrong = []string{fmt.Sprintf("the process of %s on %s ended without a result: %v\n%s",
			p.Name, p.Device, errors.Join(ended, ctx.Err()), said[:min(len(said), most)])}
	}
	fmt.Fprintf(stdout, "%s on %s: %s\n", p.Name, p.Device, r.Text)
	for _, w := range r.Wrong {
		fmt.Fprintf(stdout, "found: %s\n", w)
	}
	return r
}

// child runs the part that the text describes.
func child(text string, stdout, stderr io.Writer) int {
	var p part
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return exitFailed
	}
	data, err := json.Marshal(p.run())
	if err == nil {
		_, err = stdout.Write(data)
	}
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return exitFailed
	}
	return exitFine
}

// run makes the run in this process. If something hangs, it ends the process.
func (p part) run() result {
	if p.Of == "compute" {
		return p.compute()
	}
	r := soak.Run(soak.Config{Form: soak.Real, Devices: p.Device, Seed: p.Seed, Duration: p.Time,
		Without: p.Without})
	if reason := impossible(r.Impossible); reason != "" {
		return result{Impossible: reason}
	}
	return result{Text: r.String(), Wrong: repeated(r.Wrong, r.Config), Counts: map[string]int64{
		"operations": r.Ops,
		"records":    r.Records,
		"waits":      r.Waits,
		"gates":      r.Kinds["gate"],
		"captures":   r.Kinds["capture"],
	}}
}

func (p part) compute() result {
	r := computesoak.Run(computesoak.Config{Form: computesoak.Real, Devices: p.Device, Seed: p.Seed,
		Duration: p.Time})
	if reason := impossible(r.Impossible); reason != "" {
		return result{Impossible: reason}
	}
	counts := map[string]int64{"operations": r.Ops, "graph launches": r.Kinds["Graph.Launch"],
		"captures": r.Kinds["Capture"]}
	for kind, n := range r.Kinds {
		switch {
		case strings.HasPrefix(kind, "Launch"):
			counts["launches"] += n
		case strings.HasPrefix(kind, "Copy"):
			counts["copies"] += n
		}
	}
	return result{Text: r.String(), Wrong: repeated(r.Wrong, r.Config), Counts: counts}
}

// impossible is the reason why a run can't be made on this machine, if that is no failure.
func impossible(err error) string {
	for _, cause := range []error{soak.ErrOpen, soak.ErrNoGate, computesoak.ErrOpen,
		computesoak.ErrNoGate, compute.ErrNotInstalled} {
		if errors.Is(err, cause) {
			return strings.ReplaceAll(err.Error(), "\n", "; ") // the reason is one line
		}
	}
	return ""
}

// repeated says how to make a run again that has found something.
func repeated(wrong []string, c fmt.Stringer) []string {
	if len(wrong) > 0 {
		wrong = append(wrong, "repeat with "+c.String())
	}
	return wrong
}
