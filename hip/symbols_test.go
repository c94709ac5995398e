package hip_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// install installs the runtime of a ROCm release, without what no release exports.
func install(t *testing.T, version string) *fake.Library {
	lib := fake.HIP(t, version)
	for _, f := range proof.HIP.Functions {
		if f.Missing != "" {
			lib.Drop(f.C)
		}
	}
	return lib.Install(t, &libs.HIP)
}

func newest(t *testing.T) string {
	releases := fake.Releases(t, "hip")
	return releases[len(releases)-1]
}

// introduced says how it is said which release brought something: the oldest header that was read,
// and those behind a gap.
var introduced = map[string]string{
	"5.2.3": "5.2.3 or earlier",
	"5.7.1": "after 5.2.3, by 5.7.1",
	"6.1":   "after 5.7.1, by 6.1",
	"6.4.3": "after 6.2, by 6.4.3",
	"7.1":   "after 6.4.3, by 7.1",
	"7.15":  "after 7.2.4, by 7.15 (ROCm 10.0)",
}

func TestEveryFunctionSaysThatItsSymbolIsMissing(t *testing.T) {
	t.Parallel()
	lib := install(t, "6.4")
	lib.Drop(lib.Symbols()...)
	lib.Handle("hipRuntimeGetVersion", func(a fake.Args) int32 { a.Put32(0, 60443484); return 0 })
	checked := 0
	for _, f := range proof.HIP.Functions {
		if f.C == "hipRuntimeGetVersion" {
			continue
		}
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, hip.ErrSymbolNotFound, f.C)
		var e *hip.SymbolError
		require.ErrorAs(t, err, &e, f.C)
		since := cmp.Or(introduced[f.Since], f.Since)
		came := "with HIP " + since
		if between, ok := strings.CutPrefix(since, "after "); ok {
			came = "after HIP " + between
		}
		want := hip.SymbolError{
			Symbol:  f.C,
			Since:   since,
			API:     "HIP",
			Library: "fake hip 6.4",
			Version: "6.4.43484",
			Update:  "update ROCm",
			Lack: f.C + " came " + came + ", but fake hip 6.4 (HIP 6.4.43484) does not export it, and " +
				"an update may not bring it",
		}
		remedy := ""
		if fake.Newer(f.Since, "6.4.3") {
			want.Lack = f.C + " came " + came + ", and fake hip 6.4 (HIP 6.4.43484) does not have it"
			want.Updatable = true
			remedy = "update ROCm, or "
		}
		assert.Equal(t, want, *e)
		assert.Equal(t,
			fmt.Sprintf("symbol not found: %s; %sask Has(%q) before the call", want.Lack, remedy, f.C),
			err.Error())
		assert.Empty(t, nonzero, f.C)
		assert.False(t, hip.Has(f.C), f.C)
		assert.Equal(t, since, hip.Since(f.C))
		checked++
	}
	assert.Equal(t, len(proof.HIP.Functions)-1, checked)
	assert.Empty(t, hip.Since("hipNoSuchFunction"))
}

func TestOldRuntimesLackExactlyWhatIsNewer(t *testing.T) {
	t.Parallel()
	for _, version := range fake.Releases(t, "hip") {
		t.Run(version, func(t *testing.T) {
			install(t, version)
			newer := 0
			for _, f := range proof.HIP.Functions {
				_, err := fake.Split(fake.Zero(f.Go))
				lacks := f.Missing != ""
				if fake.Newer(f.Since, version) {
					lacks = true
					newer++
				}
				if !lacks {
					refused(t, err, version, f.C)
					assert.True(t, hip.Has(f.C), f.C)
					continue
				}
				assert.ErrorIs(t, err, hip.ErrSymbolNotFound, f.C)
				assert.False(t, hip.Has(f.C), f.C)
			}
			assert.Equal(t, version == newest(t), newer == 0, "%d newer", newer)
			v, err := hip.RuntimeVersion()
			require.NoError(t, err)
			driver, err := hip.DriverVersion()
			require.NoError(t, err)
			assert.Equal(t, v, driver)
			assert.Contains(t, version, v.String()[:3])
		})
	}
}

// refused checks that a call failed only if the release lays out a struct differently.
func refused(t *testing.T, err error, version, function string) {
	t.Helper()
	var layout *hip.LayoutError
	if errors.As(err, &layout) {
		assert.True(t, fake.Newer(layout.From, version), "%s: %v", function, err)
		return
	}
	assert.NoError(t, err, function)
}

// A call that is the first one of its function, or of the library, may be made by many goroutines
// at once.
func TestFirstCallsAtTheSameTime(t *testing.T) {
	t.Parallel()
	install(t, "6.4")
	const goroutines = 8
	start := make(chan struct{})
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			<-start
			for i := range proof.HIP.Functions {
				f := &proof.HIP.Functions[(i+g*len(proof.HIP.Functions)/goroutines)%len(proof.HIP.Functions)]
				if _, err := fake.Split(fake.Zero(f.Go)); fake.Newer(f.Since, "6.4.3") || f.Missing != "" {
					assert.ErrorIs(t, err, hip.ErrSymbolNotFound, f.C)
				} else {
					refused(t, err, "6.4.3", f.C)
				}
			}
		})
	}
	close(start)
	wg.Wait()
}

func TestEveryFunctionReturnsItsCode(t *testing.T) {
	t.Parallel()
	lib := install(t, newest(t))
	for _, f := range proof.HIP.Functions { // those with a layout are looked up by the version
		if f.Missing == "" && !strings.HasSuffix(f.C, "GetVersion") {
			fake.Zero(f.Go)
		}
	}
	notReady := func(fake.Args) int32 { return int32(hip.ErrNotReady) }
	lib.Handle("hipRuntimeGetVersion", notReady)
	lib.Handle("hipDriverGetVersion", notReady)
	kinds := map[string]int{}
	for _, f := range proof.HIP.Functions {
		if f.Missing != "" {
			continue
		}
		kinds[f.Ret]++
		lib.Answer(int32(hip.ErrNotReady))
		switch f.Ret {
		case "result":
			nonzero, err := fake.Split(fake.Zero(f.Go))
			assert.Equal(t, hip.ErrNotReady, err, f.C)
			assert.Empty(t, nonzero, "%s returns what C did not write", f.C)
		case "string": // nil, for which C means no text
			lib.Answer(0)
			nonzero, err := fake.Split(fake.Zero(f.Go))
			assert.NoError(t, err, f.C)
			assert.Empty(t, nonzero, f.C)
		case "value", "void":
			_, err := fake.Split(fake.Zero(f.Go))
			assert.NoError(t, err, "%s has no result code", f.C)
		default:
			assert.Fail(t, "another kind of result", f.Ret)
		}
	}
	assert.Greater(t, kinds["result"], 400)
	n, err := hip.GetStreamDeviceId(0)
	assert.NoError(t, err)
	assert.EqualValues(t, 600, n, "what C returns is the result")
}
