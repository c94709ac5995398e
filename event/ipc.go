package event

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// descriptorBytes is the size of the native part of a descriptor: CUipcEventHandle and
// hipIpcEventHandle_t have the same size.
const descriptorBytes = driver.DescriptorBytes

// IPCDescriptor identifies an event to other processes on this machine. Get one with
// [Event.IPCDescriptor], send it as text, JSON or bytes, and import it there with
// [Device.ImportEvent]. It is plain data: comparable, and usable without a device. The exporting
// event must stay open while others use theirs. Don't import descriptors from untrusted peers: only
// the form is checked, and the driver trusts the content.
type IPCDescriptor struct {
	backend  Backend
	blocking bool
	handle   [descriptorBytes]byte
}

// IPCDescriptor returns the descriptor of an event created [WithIPC]. It makes no driver call.
func (e *Event) IPCDescriptor() (IPCDescriptor, error) {
	const op = "Event.IPCDescriptor"
	if _, err := e.last(op); err != nil {
		return IPCDescriptor{}, err
	}
	r := e.rare.Load()
	if r == nil || r.ipc == nil {
		detail := "create it WithIPC()"
		if e.flags.IPC {
			detail = "an imported event can't be exported again; pass on its descriptor"
		}
		return IPCDescriptor{}, &Error{op, e.String(), ErrUnsupported, detail}
	}
	r.exported.Store(true)
	return *r.ipc, nil
}

// ImportEvent opens an event of another process. The event keeps no time and its device is unknown.
// Whether it was recorded is unknown too, so it counts as recorded. It can be recorded, waited for
// and queried on any device of its backend. Close it before the exporter closes the original. On
// AMD a stream that waits for it waits for its newest record: see [WithIPC].
func (d *Device) ImportEvent(descriptor IPCDescriptor) (*Event, error) {
	const op = "Device.ImportEvent"
	if err := d.present(op); err != nil {
		return nil, err
	}
	if descriptor.backend == "" {
		return nil, &Error{op, d.String(), ErrInvalidDescriptor,
			"the descriptor is empty; get one with Event.IPCDescriptor"}
	}
	if descriptor.backend != d.Backend() {
		return nil, &Error{op, d.String(), ErrBackendMismatch,
			fmt.Sprintf("the descriptor is for an event of %s; import it on a device of that backend",
				descriptor.backend)}
	}
	if !d.driver.May().Has(driver.CanShare) {
		return nil, &Error{op, d.String(), ErrUnsupported,
			"the device can't share events between processes"}
	}
	object, err := d.driver.ImportEvent(descriptor.handle)
	if err != nil {
		return nil, failed(op, d, err)
	}
	f := driver.EventFlags{IPC: true, Blocking: descriptor.blocking}
	h := d.native.WrapEvent(object, native.Owned|native.Foreign|native.Shared)
	return foreignEvent(d, h, f), nil
}

// Backend returns the backend of the event described; "" for the zero descriptor.
func (d IPCDescriptor) Backend() Backend { return d.backend }

// IsBlockingSync reports whether the event was created [WithBlockingSync].
func (d IPCDescriptor) IsBlockingSync() bool { return d.blocking }

// The binary form: "GEV1", a byte for the backend, a byte of flags, the native descriptor, and a
// checksum of all that.
const (
	descriptorMagic = "GEV1"
	descriptorSize  = len(descriptorMagic) + 2 + descriptorBytes + 4
)

var descriptorBackends = [...]Backend{1: CUDA, 2: HIP, 3: Host}

// MarshalBinary returns the descriptor as bytes.
func (d IPCDescriptor) MarshalBinary() ([]byte, error) {
	code := 0
	for i, b := range descriptorBackends {
		if b == d.backend {
			code = i
		}
	}
	if code == 0 {
		return nil, &Error{"IPCDescriptor.MarshalBinary", "descriptor", ErrInvalidDescriptor,
			"the descriptor is empty; get one with Event.IPCDescriptor"}
	}
	flags := byte(0)
	if d.blocking {
		flags = 1
	}
	b := make([]byte, 0, descriptorSize)
	b = append(b, descriptorMagic...)
	b = append(b, byte(code), flags)
	b = append(b, d.handle[:]...)
	sum := crc32.ChecksumIEEE(b)
	return append(b, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)), nil
}

// UnmarshalBinary reads what [IPCDescriptor.MarshalBinary] wrote; anything else is
// [ErrInvalidDescriptor].
func (d *IPCDescriptor) UnmarshalBinary(b []byte) error {
	refuse := func(why string) error {
		return &Error{"IPCDescriptor.UnmarshalBinary", "descriptor", ErrInvalidDescriptor, why}
	}
	if len(b) != descriptorSize {
		return refuse(fmt.Sprintf("it has %d bytes instead of %d", len(b), descriptorSize))
	}
	if string(b[:4]) != descriptorMagic {
		return refuse("it is not a descriptor, or one of another version")
	}
	body, sum := b[:descriptorSize-4], b[descriptorSize-4:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return refuse("its checksum is wrong; it was damaged on the way")
	}
	code, flags := body[4], body[5]
	if code == 0 || int(code) >= len(descriptorBackends) || flags > 1 {
		return refuse("it was made by a newer version")
	}
	d.backend, d.blocking = descriptorBackends[code], flags == 1
	copy(d.handle[:], body[6:])
	return nil
}

// MarshalText returns the descriptor as one word of base64.
func (d IPCDescriptor) MarshalText() ([]byte, error) {
	b, err := d.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText reads what [IPCDescriptor.MarshalText] wrote; anything else is
// [ErrInvalidDescriptor].
func (d *IPCDescriptor) UnmarshalText(text []byte) error {
	b, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil {
		return &Error{"IPCDescriptor.UnmarshalText", "descriptor", ErrInvalidDescriptor, err.Error()}
	}
	return d.UnmarshalBinary(b)
}

type descriptorJSON struct {
	Backend Backend `json:"backend"`
	Event   string  `json:"event"`
}

// MarshalJSON returns the descriptor as an object that names its backend.
func (d IPCDescriptor) MarshalJSON() ([]byte, error) {
	text, err := d.MarshalText()
	if err != nil {
		return nil, err
	}
	return json.Marshal(descriptorJSON{d.backend, string(text)})
}

// UnmarshalJSON reads what [IPCDescriptor.MarshalJSON] wrote; anything else is
// [ErrInvalidDescriptor].
func (d *IPCDescriptor) UnmarshalJSON(b []byte) error {
	refuse := func(why string) error {
		return &Error{"IPCDescriptor.UnmarshalJSON", "descriptor", ErrInvalidDescriptor, why}
	}
	var j descriptorJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return refuse(err.Error())
	}
	var read IPCDescriptor
	if err := read.UnmarshalText([]byte(j.Event)); err != nil {
		return err
	}
	if read.backend != j.Backend {
		return refuse(
			fmt.Sprintf("it names backend %q, but its event belongs to %q", j.Backend, read.backend))
	}
	*d = read
	return nil
}

// String returns the backend and the beginning of the text form.
func (d IPCDescriptor) String() string {
	if d.backend == "" {
		return "IPCDescriptor(empty)"
	}
	return fmt.Sprintf("IPCDescriptor(%s %x…)", d.backend, d.handle[:6])
}
