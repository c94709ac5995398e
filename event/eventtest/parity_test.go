package eventtest_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
)

// members is what the five interfaces have, by the headings of docs/parity.md.
var members = map[string][]string{
	"cuda.core.Event": {"Event()", "__init__", "Device.create_stream", "Device.create_event",
		"timing_enabled", "blocking_sync", "ipc_enabled",
		"Stream.record", "end - start", "close", "from_ipc_descriptor", "sync", "context", "device",
		"handle", "ipc_descriptor", "is_blocking_sync",
		"is_done", "is_ipc_enabled", "is_timing_enabled"},
	"torch.Event": {"Event()", "device", "enable_timing", "blocking", "interprocess", "elapsed_time",
		"query", "record", "synchronize", "wait"},
	"torch.cuda.Stream": {"Stream()", "device", "priority", "**kwargs", "query", "record_event",
		"synchronize", "wait_event",
		"wait_stream"},
	"torch.mps.Event": {"__init__", "enable_timing", "__del__", "record", "wait", "query",
		"synchronize", "elapsed_time"},
	"max.driver.DeviceEvent": {"DeviceEvent()", "device", "enable_timing", "Accelerator",
		"default_stream.record_event", "elapsed_time", "is_ready", "synchronize", "__str__"},
}

// values are the Go forms that are not methods.
var values = map[string]any{
	"Default": event.Default, "DefaultGPU": event.DefaultGPU, "Open": event.Open,
	"Devices": event.Devices, "WaitAny": event.WaitAny, "WaitAll": event.WaitAll,
	"WithTiming": event.WithTiming, "WithBlockingSync": event.WithBlockingSync,
	"WithIPC": event.WithIPC, "WithExternal": event.WithExternal,
	"WithFence": event.WithFence, "WithPriority": event.WithPriority, "WithStream": event.WithStream,
	"CurrentStream": event.CurrentStream,
	"ErrCaptured":   event.ErrCaptured,
}

var types = map[string]reflect.Type{
	"Event":  reflect.TypeFor[*event.Event](),
	"Stream": reflect.TypeFor[*event.Stream](),
	"Device": reflect.TypeFor[*event.Device](),
}

// row is one of the page's tables'.
type row struct {
	heading, member, text string
	forms, behaviours     []string
}

var quoted = regexp.MustCompile("`([^`]+)`")

func quotes(cell string) (all []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		all = append(all, m[1])
	}
	return all
}

func parityRows(t *testing.T) (rows []row) {
	page, err := os.ReadFile("../../docs/parity.md")
	require.NoError(t, err)
	heading := ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = h
		}
		cells := strings.Split(line, " | ")
		if len(cells) != 4 || strings.HasPrefix(line, "| member") {
			continue
		}
		rows = append(rows, row{heading, strings.Trim(cells[0], "| `"), cells[2], quotes(cells[1]), quotes(cells[3])})
	}
	return rows
}

// TestParityIsComplete wants a row for every member of the five interfaces, and no row without one.
func TestParityIsComplete(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for _, r := range parityRows(t) {
		if _, ok := members[r.heading]; ok {
			got[r.heading] = append(got[r.heading], r.member)
		}
	}
	assert.Equal(t, members, got)
}

// TestParityIsTrue wants every Go form of the page to exist, and every behaviour to be one of the
// suite's.
func TestParityIsTrue(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range eventtest.Behaviours() {
		assert.False(t, known[name], "two behaviours are called %s", name)
		known[name] = true
	}
	for _, r := range parityRows(t) {
		assert.NotEmpty(t, r.text, r.member)
		assert.NotEmpty(t, r.forms, r.member)
		assert.NotEmpty(t, r.behaviours, r.member)
		for _, form := range r.forms {
			if typ, method, ok := strings.Cut(form, "."); ok {
				require.Contains(t, types, typ, form)
				_, exists := types[typ].MethodByName(method)
				assert.True(t, exists, form)
			} else {
				assert.Contains(t, values, form)
			}
		}
		for _, b := range r.behaviours {
			assert.True(t, known[b], "%s: there is no behaviour %s", r.member, b)
		}
	}
}
