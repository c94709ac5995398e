package fake

import (
	"sync"
	"testing"

	"github.com/gpuevent/gpuevent/internal/dl"
)

var held sync.Map // *dl.Library -> *sync.Mutex

// hold keeps other tests away from an API.
func hold(api *dl.Library) (release func()) {
	m, _ := held.LoadOrStore(api, new(sync.Mutex))
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock
}

// Absent makes an API as if no use of it had been made yet, on a machine where its library is
// searched for at the given paths only, until the test ends. It clears the environment variable, so
// the test can't be a parallel one.
func Absent(t testing.TB, api *dl.Library, candidates ...string) {
	t.Helper()
	t.Setenv(api.Env, "")
	release := hold(api)
	search := api.Search
	restore := api.Install("", nil)
	api.Search = dl.Search{Paths: append([]string{}, candidates...)}
	t.Cleanup(func() {
		restore()
		api.Search = search
		release()
	})
}
