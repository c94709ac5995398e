package backend

import (
	"errors"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (c *cudaDevice) CopyPeer(s driver.Object, to uintptr, toDevice Backend, from uintptr,
	fromDevice Backend, bytes uintptr) error {
	target, err := c.of(toDevice)
	if err != nil {
		return err
	}
	source, err := c.of(fromDevice)
	if err != nil {
		return err
	}
	toContext, err := target.Context()
	if err != nil {
		return err
	}
	fromContext, err := source.Context()
	if err != nil {
		return err
	}
	return c.inside("cuMemcpyPeerAsync", func() error {
		return cudrv.MemcpyPeerAsync(cudrv.Deviceptr(to), cudrv.Context(toContext),
			cudrv.Deviceptr(from), cudrv.Context(fromContext), bytes, cudrv.Stream(s.Word))
	})
}

// CanPeer is false for a device of another vendor, and true for the device itself.
func (c *cudaDevice) CanPeer(other Backend) (bool, error) {
	peer, err := c.of(other)
	if err != nil {
		return false, nil
	}
	if peer.device == c.device {
		return true, nil
	}
	can, err := cudrv.DeviceCanAccessPeer(c.device, peer.device)
	return can != 0 && err == nil, cudaFailed("cuDeviceCanAccessPeer", err)
}

// Peer enables access to memory of the other device's context, and to that of its default pool,
// which has access rights of its own.
func (c *cudaDevice) Peer(other Backend) error {
	peer, err := c.of(other)
	if err != nil || peer.device == c.device {
		return err
	}
	context, err := peer.Context()
	if err != nil {
		return err
	}
	err = c.inside("cuCtxEnablePeerAccess", func() error {
		err := cudrv.CtxEnablePeerAccess(cudrv.Context(context), 0)
		if errors.Is(err, cudrv.ErrPeerAccessAlreadyEnabled) {
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
	return peer.inPool(func(pool cudrv.MemoryPool) error {
		access := cudrv.MemAccessDesc{Flags: cudrv.MemAccessFlagsProtReadwrite}
		access.Location.Type = cudrv.MemLocationTypeDevice
		*access.Location.Id() = int32(c.device)
		return cudaFailed("cuMemPoolSetAccess", cudrv.MemPoolSetAccess(pool, &access, 1))
	})
}
