package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	require.NoError(t, run(d, 1<<20))
}
