package reallibs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/internal/testing/bindings"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// probe is the variable that turns the test program into a probe of the library that its
// environment names.
const probe = "PROBE_REAL_LIBRARY"

// facts are what a probe finds out.
type facts struct {
	Path    string
	Load    time.Duration // opening the library
	Version int           // as the API encodes it; 0 for one without a probe of its own
	Missing []string      // symbols of the bindings that do not resolve
	Names   map[int32]string
	Steps   []step
	Failure string // why the probe could not go on
}

// step is one call that was made.
type step struct {
	Call     string
	Outcome  string // "ok", the name of the result code, or another error's kind
	NoDevice bool   // what IsNoDevice says
	Text     string // the error
}

func TestMain(m *testing.M) {
	api := os.Getenv(probe)
	if api == "" {
		code := m.Run()
		if built.dir != "" {
			_ = os.RemoveAll(built.dir)
		}
		os.Exit(code)
	}
	if f := inside[api]; f != nil {
		runInside(f)
	}
	if err := json.NewEncoder(os.Stdout).Encode(probeOf(api)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// probes are the calls to make of an API; one without has its symbols checked only.
var probes = map[string]func(*facts){"cuda": probeCUDA, "hip": probeHIP}

// probeOf opens the library and asks it all that can be asked without a device.
func probeOf(api string) *facts {
	f := &facts{Names: map[int32]string{}}
	b, ok := bindings.Named(api)
	if !ok {
		f.Failure = "no API " + api
		return f
	}
	start := time.Now()
	if err := b.Load(); err != nil {
		f.Failure = err.Error()
		return f
	}
	f.Load = time.Since(start)
	f.Path = b.Library.Path()
	f.Missing = missing(b.API, b.Library.Has)
	if calls := probes[api]; calls != nil {
		calls(f)
	}
	return f
}

// named is a result code.
type named interface{ Name() string }

func (f *facts) step(call string, err error, noDevice func(error) bool, kinds map[string]error) {
	s := step{Call: call, Outcome: "ok", NoDevice: noDevice(err)}
	if err != nil {
		s.Outcome, s.Text = "another error", err.Error()
		for kind, sentinel := range kinds {
			if errors.Is(err, sentinel) {
				s.Outcome = kind
			}
		}
		var n named
		if errors.As(err, &n) {
			s.Outcome = n.Name()
		}
	}
	f.Steps = append(f.Steps, s)
}

// missing are the symbols of a table that the library lacks.
func missing(api *proof.API, has func(string) bool) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, f := range api.Functions {
		if !seen[f.C] && !has(f.C) {
			out = append(out, f.C)
		}
		seen[f.C] = true
	}
	return out
}
