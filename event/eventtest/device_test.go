package eventtest_test

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/nvrtc"
)

// kernelsPTX are the suite's kernels, as NVRTC 11.8 compiles them for GPUs since sm_52.
//
//go:embed testdata/kernels.ptx
var kernelsPTX []byte

// loadPTX loads the suite's kernels where there is no compiler.
func loadPTX(t testing.TB, d *event.Device) *compute.Module {
	m, err := compute.Load(d, kernelsPTX)
	require.NoError(t, err)
	return m
}

var device = flag.String("eventtest.device", "",
	"test this device of the machine, \"cuda:0\"")

// peerEnv makes a process the other one, and names its device.
const peerEnv = "EVENTTEST_PEER"

func TestMain(m *testing.M) {
	if name := os.Getenv(peerEnv); name != "" {
		os.Exit(servePeer(name))
	}
	os.Exit(m.Run())
}

// servePeer is the other process's main.
func servePeer(name string) int {
	d, err := event.Open(name)
	if err == nil {
		err = eventtest.ServePeer(d, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestDevice runs the suite on the device that the flag names, or on the host.
func TestDevice(t *testing.T) {
	name := *device
	if name == "" {
		name = "host"
	}
	d, err := event.Open(name)
	require.NoError(t, err)
	x := eventtest.Target{Device: d, Peer: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), peerEnv+"="+name)
		return cmd
	}}
	if d.Backend() == event.CUDA && nvrtc.Available() != nil {
		x.Load = func(t testing.TB) *compute.Module { return loadPTX(t, d) }
	}
	for _, other := range event.Devices() {
		switch {
		case other == d:
		case other.Backend() != d.Backend():
			x.Other = other
		case x.Second == nil:
			x.Second = other
		}
	}
	eventtest.Run(t, func(testing.TB) eventtest.Target { return x })
}

// TestDeviceAlone needs nothing but a device.
func TestDeviceAlone(t *testing.T) {
	d, err := event.Open("host")
	require.NoError(t, err)
	eventtest.Run(t, func(testing.TB) eventtest.Target { return eventtest.Target{Device: d} })
}

// TestCompiledKernels wants the PTX to have the kernels of the source.
func TestCompiledKernels(t *testing.T) {
	newMachine(t, sim.Options{}, "cuda", "11.8")
	m := loadPTX(t, open(t, "cuda:0"))
	for name := range eventtest.KernelSource.Host {
		_, err := m.Kernel(name)
		require.NoError(t, err)
	}
	require.NoError(t, m.Close())
}
