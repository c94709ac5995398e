package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// simulated is a handler of one stream whose work tells of its beginning.
func simulated(
	t *testing.T, c eventsim.Config, work func(*eventsim.Machine, *event.Stream),
) (*eventsim.Machine, *handler, chan struct{}) {
	m := eventsim.New(t, c)
	begun := make(chan struct{}, 10)
	h, err := newHandler(m.Device(0), 1, func(s *event.Stream) error {
		work(m, s)
		begun <- struct{}{}
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(h.close)
	return m, h, begun
}

// ask has the handler answer a request on a goroutine.
func ask(ctx context.Context, h http.Handler) <-chan *httptest.ResponseRecorder {
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		answered <- w
	}()
	return answered
}

func TestAnswersWhenTheWorkIsDone(t *testing.T) {
	t.Parallel()
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		gates := make(chan *eventsim.Gate, 1)
		m, h, begun := simulated(t, eventsim.Config{Backend: b},
			func(m *eventsim.Machine, s *event.Stream) { gates <- m.Gate(s) })
		answered := ask(t.Context(), h)
		<-begun
		m.Advance(3 * time.Millisecond)
		assert.Empty(t, answered)
		(<-gates).Open()
		w := <-answered
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Equal(t, "the work took 3ms\n", w.Body.String())
	}
}

func TestStopsWaitingWhenTheClientGoes(t *testing.T) {
	t.Parallel()
	gates := make(chan *eventsim.Gate, 2)
	_, h, begun := simulated(t, eventsim.Config{},
		func(m *eventsim.Machine, s *event.Stream) { gates <- m.Gate(s) })
	ctx, leave := context.WithCancel(t.Context())
	answered := ask(ctx, h)
	<-begun
	leave()
	assert.Empty(t, (<-answered).Body.String())

	assert.Empty(t, h.streams, "the stream is busy still")
	(<-gates).Open()
	answered = ask(t.Context(), h)
	<-begun
	(<-gates).Open()
	assert.Equal(t, http.StatusOK, (<-answered).Code)
}

func TestLostDevice(t *testing.T) {
	t.Parallel()
	m, h, begun := simulated(t, eventsim.Config{},
		func(m *eventsim.Machine, s *event.Stream) { m.Gate(s) })
	answered := ask(t.Context(), h)
	<-begun
	m.Lose(0, cudrv.ErrUnknown)
	for range 2 {
		w := <-answered
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.Contains(t, w.Body.String(), "ErrUnknown (999)")
		answered = ask(t.Context(), h)
	}
	<-answered
}

func TestServes(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, run(ctx, "127.0.0.1:0", d))
}
