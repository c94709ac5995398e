package sim

import (
	"fmt"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

// jitLog is the buffers that the driver's compiler writes to, as the options of a load give them.
type jitLog struct{ info, failure logBuffer }

// logBuffer is memory of the caller's, and where the caller reads how much was written.
type logBuffer struct {
	at   unsafe.Pointer
	size *uintptr // C's unsigned int, stored in a pointer's place
	used uintptr
}

// readJITLog finds the buffers among the options. Other options have no effect here.
//
//go:nocheckptr
func readJITLog(n uint32, options *cudrv.JitOption, values *uintptr) *jitLog {
	if n == 0 || options == nil || values == nil {
		return nil
	}
	log := &jitLog{}
	for i, option := range unsafe.Slice(options, n) {
		value := unsafe.Pointer(uintptr(unsafe.Pointer(values)) + uintptr(i)*unsafe.Sizeof(uintptr(0)))
		switch option {
		case cudrv.JitInfoLogBuffer:
			log.info.at = *(*unsafe.Pointer)(value)
		case cudrv.JitInfoLogBufferSizeBytes:
			log.info.size = (*uintptr)(value)
		case cudrv.JitErrorLogBuffer:
			log.failure.at = *(*unsafe.Pointer)(value)
		case cudrv.JitErrorLogBufferSizeBytes:
			log.failure.size = (*uintptr)(value)
		}
	}
	return log
}

// say writes a line to the log of errors.
func (l *jitLog) say(format string, args ...any) {
	if l != nil {
		l.failure.write(fmt.Sprintf(format, args...))
	}
}

// inform writes a line to the other log.
func (l *jitLog) inform(format string, args ...any) {
	if l != nil {
		l.info.write(fmt.Sprintf(format, args...))
	}
}

// done tells the caller how long the logs are.
func (l *jitLog) done() {
	if l == nil {
		return
	}
	for _, b := range []*logBuffer{&l.info, &l.failure} {
		if b.size != nil {
			*b.size = b.used
		}
	}
}

// write adds a line and a NUL, as far as there is room.
func (b *logBuffer) write(line string) {
	if b.at == nil || b.size == nil || *b.size == 0 {
		return
	}
	room := int(uint32(*b.size)) - 1
	text := []byte(line + "\n")
	text = append(text[:min(len(text), room)], 0)
	writeMemory(b.at, text)
	b.used = uintptr(len(text))
}

// writeMemory writes to memory of C's.
//
//go:nocheckptr
func writeMemory(to unsafe.Pointer, from []byte) {
	copy(unsafe.Slice((*byte)(to), len(from)), from)
}
