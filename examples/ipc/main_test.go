package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main() // as the second process
		return
	}
	os.Exit(m.Run())
}

func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	if _, err := device(); err != nil {
		require.ErrorIs(t, err, event.ErrUnsupported)
		t.Skip(err)
	}
	require.NoError(t, parent())
}
