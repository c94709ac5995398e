package event

import (
	"errors"
	"fmt"
)

// nativeEvent is a driver's event. It outlives its Event while calls use it or somebody waits.
type nativeEvent struct {
	guard
	handle eventHandle
	device *Device // whose driver destroys it
	label  string  // "cuda[0]"; "cuda[?]" if the device is not known
	owned  bool    // ours to destroy
	helper *streamHandle
}

// nativeStream is a driver's stream.
type nativeStream struct {
	guard
	handle   streamHandle
	device   *Device
	owned    bool
	standing bool // the device's default stream
}

func newNativeEvent(d *Device, label string, h eventHandle, owned bool) *nativeEvent {
	n := &nativeEvent{handle: h, device: d, label: label, owned: owned}
	n.owner = n
	return n
}

func newNativeStream(d *Device, h streamHandle, owned bool) *nativeStream {
	n := &nativeStream{handle: h, device: d, owned: owned}
	n.owner = n
	return n
}

func (n *nativeEvent) destroy() error {
	if !n.owned || n.device.gone() {
		return nil
	}
	err := n.device.driver.destroyEvent(n.handle)
	if n.helper != nil {
		err = errors.Join(err, n.device.driver.destroyStream(*n.helper))
	}
	return err
}

func (n *nativeStream) destroy() error {
	if !n.owned || n.device.gone() {
		return nil
	}
	return n.device.driver.destroyStream(n.handle)
}

func (n *nativeEvent) relax() func()  { return n.device.driver.relax() }
func (n *nativeStream) relax() func() { return n.device.driver.relax() }

// String returns "cuda[0]:event@0x…"; the device is "?" if it is not known.
func (n *nativeEvent) String() string { return fmt.Sprintf("%s:event@%#x", n.label, n.handle.id()) }

// String returns "cuda[0]:stream@0x…".
func (n *nativeStream) String() string {
	if n.standing {
		return n.device.label() + ":stream@default"
	}
	return fmt.Sprintf("%s:stream@%#x", n.device.label(), n.handle.id())
}
