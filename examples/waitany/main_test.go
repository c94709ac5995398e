package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	require.NoError(t, run(t.Context(), d))
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, run(interrupted, d), "an interruption is no failure")
}
