package compute

import (
	"errors"
	"time"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// isShort reports whether a driver's error says that there is too little memory.
func isShort(err error) bool {
	return errors.Is(err, backend.ErrOutOfMemory)
}

// isUnsupported reports whether a driver's error says that it can't do something at all.
func isUnsupported(err error) bool { return errors.Is(err, driver.ErrUnsupported) }

// reclaim makes memory that is free, or will be soon, available: of closed buffers, and what the
// driver's pool keeps.
func (d *device) reclaim(s *event.Stream) {
	const limit = time.Second
	freed := make(chan struct{})
	go func() {
		d.freeing.Wait()
		close(freed)
	}()
	select {
	case <-freed:
	case <-time.After(limit):
	}
	if s != nil {
		_ = s.Sync() // frees in the stream's order take effect
	}
	_ = d.backend.Trim()
}

// short turns a failed allocation into an error. Too little memory names what there is.
func (d *device) short(op string, bytes uintptr, err error) error {
	if !isShort(err) {
		return failed(op, d.event, err)
	}
	text := "%d bytes wanted; "
	args := []any{bytes}
	if m, e := d.event.Memory(); e == nil {
		text += "%d of %d bytes are free; "
		args = append(args, m.Free, m.Total)
	}
	u := d.account.usage()
	return errors.Join(refusal(op, d.event, ErrOutOfMemory, text+"this process has %d bytes in %d "+
		"buffers: close some, or allocate less", append(args, u.Bytes, u.Buffers)...),
		failed(op, d.event, err))
}
