package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// Both processes have a simulated GPU, and share events as two processes with one GPU do.
func TestTwoProcesses(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("simulated GPUs share no events between processes on this system")
			}
			m := eventsim.New(t, eventsim.Config{Backend: b})
			cmd := exec.Command(os.Args[0], "-test.run=^TestSecondProcess$")
			cmd.Env = append(os.Environ(), childVariable+"="+string(b))
			require.NoError(t, parent(m.Device(0), cmd))
		})
	}
}

// TestSecondProcess is the second process's main. As a test of its own it does nothing.
func TestSecondProcess(t *testing.T) {
	b := os.Getenv(childVariable)
	if b == "" {
		return
	}
	m := eventsim.New(t, eventsim.Config{Backend: event.Backend(b)})
	require.NoError(t, child(m.Device(0), os.Stdin, os.Stdout))
}
