//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIPCUnsupported(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	_, err := e.NewEvent(EventOptions{IPC: true})
	assert.ErrorIs(t, err, ErrIPCUnsupported)
	d := newDescriptor(location{arena: arenaID{1}})
	_, err = e.OpenEvent(d[:])
	assert.ErrorIs(t, err, ErrIPCUnsupported)
}

func peerMain(string) int { return 1 }
