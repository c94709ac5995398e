package eventexpvar_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventexpvar"
)

func Example() {
	event.EnableStats(true) // optional: queries, waits and wake-up latencies too
	eventexpvar.Publish("gpu")
	// http.ListenAndServe("localhost:6060", nil) serves it at /debug/vars
}

var published atomic.Int32

func TestPublish(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	e, err := d.DefaultStream().RecordNew()
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	name := fmt.Sprint("events ", published.Add(1)) // a process has each once
	eventexpvar.Publish(name)
	var got map[string]event.DeviceStats
	require.NoError(t, json.Unmarshal([]byte(expvar.Get(name).String()), &got))
	assert.Equal(t, "host", got["host"].Device)
	assert.Positive(t, got["host"].Records)
	assert.Positive(t, got["host"].Events)
	assert.Panics(t, func() { eventexpvar.Publish(name) })
}
