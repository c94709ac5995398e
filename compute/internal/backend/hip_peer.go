package backend

import (
	"errors"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (h *hipDevice) CopyPeer(s driver.Object, to uintptr, toDevice Backend, from uintptr,
	fromDevice Backend, bytes uintptr) error {
	target, err := h.of(toDevice)
	if err != nil {
		return err
	}
	source, err := h.of(fromDevice)
	if err != nil {
		return err
	}
	if h.info.Traits.PeerCopyNotCaptured { // fact: amd-peer-copy-not-captured
		err := h.unlessCaptured(s, "hipMemcpyPeerAsync", "copy before or after the launch of the graph")
		if err != nil {
			return err
		}
	}
	return h.inside("hipMemcpyPeerAsync", func() error {
		return hip.MemcpyPeerAsync(ccall.Pointer(to), target.device, ccall.Pointer(from),
			source.device, bytes, hip.Stream(s.Word))
	})
}

// CanPeer is false for a device of another vendor, and true for the device itself.
func (h *hipDevice) CanPeer(other Backend) (bool, error) {
	peer, err := h.of(other)
	if err != nil {
		return false, nil
	}
	if peer.device == h.device {
		return true, nil
	}
	can, err := hip.DeviceCanAccessPeer(h.device, peer.device)
	return can != 0 && err == nil, hipFailed("hipDeviceCanAccessPeer", err)
}

// Peer enables access to memory of the other device, and to that of its default pool, which has
// access rights of its own.
func (h *hipDevice) Peer(other Backend) error {
	peer, err := h.of(other)
	if err != nil || peer.device == h.device {
		return err
	}
	err = h.inside("hipDeviceEnablePeerAccess", func() error {
		err := hip.DeviceEnablePeerAccess(peer.device, 0)
		if errors.Is(err, hip.ErrPeerAccessAlreadyEnabled) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	limits, err := peer.Limits()
	if err != nil || !limits.Pools {
		return err
	}
	return peer.inPool(func(pool hip.MemPool) error {
		access := hip.MemAccessDesc{
			Location: hip.MemLocation{Type: hip.MemLocationTypeDevice, Id: h.device},
			Flags:    hip.MemAccessFlagsProtReadWrite,
		}
		return hipFailed("hipMemPoolSetAccess", hip.MemPoolSetAccess(pool, &access, 1))
	})
}
