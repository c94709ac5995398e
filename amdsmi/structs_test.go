package amdsmi_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/amdsmi"
)

// A place on the PCI bus is one number, whose parts can be set through either form.
func TestBdf(t *testing.T) {
	t.Parallel()
	var b amdsmi.Bdf
	b.SetDomainNumber(1)
	b.SetBusNumber(0xc1)
	b.SetDeviceNumber(2)
	b.SetFunctionNumber(3)
	assert.Equal(t, uint64(1<<16|0xc1<<8|2<<3|3), *b.AsUint())
	assert.Equal(t, uint64(0xc1), b.Bdf().BusNumber())
	b.Bdf().SetDomainNumber(0xffff_ffff_ffff)
	assert.Equal(t, uint64(0xffff_ffff_ffff), b.DomainNumber())
	assert.Equal(t, uint64(3), b.FunctionNumber(), "the other parts stay")
}

// The header of an error record is packed: fields lie at any address.
func TestPackedHeader(t *testing.T) {
	t.Parallel()
	record := make([]byte, 129)
	h := (*amdsmi.CperHdr)(unsafe.Pointer(&record[1]))
	h.SetSignatureEnd(0xa1b2c3d4)
	h.SetPersistenceInfo(0x1122334455667788)
	assert.Equal(t, []byte{0xd4, 0xc3, 0xb2, 0xa1}, record[1+6:1+10])
	assert.Equal(t, []byte{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}, record[1+108:1+116])
	assert.Equal(t, uint32(0xa1b2c3d4), h.SignatureEnd())
	assert.Equal(t, uint64(0x1122334455667788), h.PersistenceInfo())
	assert.Equal(t, uintptr(128), unsafe.Sizeof(*h))
}

// Some sets and enums have 64 bits, and print by name.
func TestWideValues(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "GpuBlockReserved|GpuBlockGfx",
		(amdsmi.GpuBlockGfx | amdsmi.GpuBlockReserved).String())
	assert.Equal(t, "PwrProfPrstInvalid", amdsmi.PwrProfPrstInvalid.String())
	assert.Equal(t, uint64(1)<<38, uint64(amdsmi.GpuBlockUciePcs))
	assert.Equal(t, "CperNotifyTypePcie", amdsmi.CperNotifyTypePcie.String())
}
