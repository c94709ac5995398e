package proof

import "github.com/gpuevent/gpuevent/internal/callback"

// lifetimes has C call a function's callback when it may and when it may no longer: a registration
// must neither end early nor stay behind.
func (k *call) lifetimes(seed uint64, failure int32) {
	callback.SetPanicHandler(func(string, any, []byte) {}) // late calls are reported, as planned
	defer callback.SetPanicHandler(nil)
	for _, p := range k.f.Params {
		switch p.Kind {
		case Callback:
			k.lifetime(p, seed, 0, byLater, 0, 1, 1)
			if k.f.Ret == "result" {
				k.lifetime(p, seed, failure, byLater, 0, 0)
			}
		case CallbackNow:
			k.lifetime(p, seed, 0, twice, 2, 2)
		case CallbackRef:
			k.lifetime(p, seed, 0, byLater|twice, 0, 1, 2)
		}
	}
}

// lifetime makes one call. runs are how often the Go func must have run when the call returns, and
// after each further call from C. A released registration must never run again.
func (k *call) lifetime(p Param, seed uint64, code int32, flags uint64, runs ...int) {
	defer k.release()
	if !k.enter(seed, code, true, flags) {
		return
	}
	ran := func(want int, when string) bool {
		if got := len(k.closures[p.Arg].got); got != want {
			k.bad(p.C, "%s, the Go func has run %d times instead of %d", when, got, want)
			return false
		}
		return true
	}
	when := "after a call that returned " + k.outcome(code)
	if !ran(runs[0], when) {
		return
	}
	for _, want := range runs[1:] {
		k.c.Oracle.later()
		if when += ", and one by C"; !ran(want, when) {
			return
		}
	}
	k.release()
	k.c.Oracle.later()
	if ran(runs[len(runs)-1], when+", and one by C when nothing is registered") {
		k.r.Lifetimes++
	}
}

func (k *call) outcome(code int32) string {
	if k.f.Ret == "result" && code != 0 {
		return "an error"
	}
	return "no error"
}
