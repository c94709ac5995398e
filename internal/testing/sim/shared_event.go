package sim

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// sharedEvent is the part of an interprocess event that all processes see: a page of a file. Its
// first word is the number of the newest record. The other words are slots, which hold a record's
// number and state. A record whose slot a later one took counts as done.
//
// A process that dies leaves its records pending for ever, as long as no source says what drivers
// do then.
type sharedEvent struct {
	words    []atomic.Uint64
	name     [nameBytes]byte
	exporter bool

	mu  sync.Mutex // orders the records of this process
	seq uint64     // the newest record of this process
	own host.Point // and where its stream reaches it
}

// A descriptor is magic, name, process and checksum.
const (
	descriptorBytes = 64
	descriptorMagic = "gpuevsim"
	nameBytes       = 16
	nameAt          = len(descriptorMagic)
	processAt       = nameAt + nameBytes
	checksumAt      = descriptorBytes - 4

	pageBytes = 4096
)

type descriptor [descriptorBytes]byte

// States in a slot.
const (
	sharedPending = iota
	sharedDone
	sharedFailed
	sharedStates
)

var (
	errDescriptor     = errors.New("sim: not a descriptor of an event")
	errDescriptorGone = errors.New("sim: the event of this descriptor has been destroyed")
)

// fileOf is where the event with a name lies.
func fileOf(name [nameBytes]byte) string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("gpuevent-sim-%x", name))
}

// exportEvent makes the shared part of a new event.
func exportEvent() (*sharedEvent, error) {
	s := &sharedEvent{exporter: true}
	_, _ = rand.Read(s.name[:]) // never fails
	err := s.open(os.O_RDWR | os.O_CREATE | os.O_EXCL)
	if err != nil {
		s.close()
	}
	return s, err
}

// importEvent opens the shared part of an event that a process exported.
func importEvent(d descriptor) (*sharedEvent, error) {
	if !d.valid() {
		return nil, errDescriptor
	}
	s := &sharedEvent{name: [nameBytes]byte(d[nameAt:])}
	err := s.open(os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		err = errDescriptorGone
	}
	return s, err
}

// open maps the file. The page stays mapped until nothing refers to s.
func (s *sharedEvent) open(flag int) error {
	file, err := os.OpenFile(fileOf(s.name), flag, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if s.exporter {
		if err := file.Truncate(pageBytes); err != nil {
			return err
		}
	}
	page, err := mapPage(file)
	if err != nil {
		return err
	}
	s.words = unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&page[0])), pageBytes/8)
	runtime.AddCleanup(s, unmapPage, page)
	return nil
}

// close ends the event for processes that have not imported it yet.
func (s *sharedEvent) close() {
	if s.exporter {
		_ = os.Remove(fileOf(s.name))
	}
}

// descriptor returns the bytes that another process imports.
func (s *sharedEvent) descriptor() (d descriptor) {
	copy(d[:], descriptorMagic)
	copy(d[nameAt:], s.name[:])
	binary.LittleEndian.PutUint64(d[processAt:], uint64(os.Getpid()))
	binary.LittleEndian.PutUint32(d[checksumAt:], crc32.ChecksumIEEE(d[:checksumAt]))
	return d
}

func (d *descriptor) valid() bool {
	return string(d[:nameAt]) == descriptorMagic &&
		binary.LittleEndian.Uint32(d[checksumAt:]) == crc32.ChecksumIEEE(d[:checksumAt])
}

// local reports whether this process made the descriptor.
func (d *descriptor) local() bool {
	return binary.LittleEndian.Uint64(d[processAt:]) == uint64(os.Getpid())
}

func (s *sharedEvent) slot(seq uint64) *atomic.Uint64 {
	return &s.words[1+seq%uint64(len(s.words)-1)]
}

// status returns the state of a record.
func (s *sharedEvent) status(seq uint64) int {
	switch w := s.slot(seq).Load(); {
	case w/sharedStates < seq:
		return sharedPending // its maker has not written the slot yet
	case w/sharedStates == seq:
		return int(w % sharedStates)
	}
	return sharedDone
}

// finish completes a record of this process.
func (s *sharedEvent) finish(seq uint64, err error) {
	state := uint64(sharedDone)
	if err != nil {
		state = sharedFailed
	}
	s.slot(seq).CompareAndSwap(seq*sharedStates+sharedPending, seq*sharedStates+state)
}

// record records ev on q, and lets other processes see it.
func (s *sharedEvent) record(q *host.Queue, ev *host.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := q.Record(ev); err != nil {
		return err
	}
	p, err := ev.Point()
	if err != nil {
		return err
	}
	s.seq, s.own = s.words[0].Add(1), p
	seq := s.seq
	s.slot(seq).Store(seq*sharedStates + sharedPending)
	p.OnDone(func(err error) { s.finish(seq, err) })
	return nil
}

// newest returns the number of the newest record, and its point if this process made it.
func (s *sharedEvent) newest() (seq uint64, own host.Point, ours bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq = s.words[0].Load()
	return seq, s.own, seq == s.seq
}

// state returns what is known about the newest record.
func (s *sharedEvent) state() host.State {
	seq, own, ours := s.newest()
	switch {
	case seq == 0:
		return host.Unrecorded
	case ours:
		return own.State()
	}
	return [...]host.State{host.Pending, host.Done, host.Failed}[s.status(seq)]
}

// query reports whether the newest record is complete.
func (s *sharedEvent) query() (bool, error) {
	seq, own, ours := s.newest()
	switch {
	case seq == 0:
		return true, nil
	case ours:
		return own.Query()
	}
	return s.over(seq)
}

// over reports whether a record of another process is complete.
func (s *sharedEvent) over(seq uint64) (bool, error) {
	switch s.status(seq) {
	case sharedPending:
		return false, nil
	case sharedFailed:
		return true, workError(launchFailed)
	}
	return true, nil
}

// await waits for a record of another process, or for the end of the device.
func (s *sharedEvent) await(seq uint64, e *host.Engine) error {
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		if done, err := s.over(seq); done {
			return err
		}
		if err := e.Err(); err != nil {
			return err
		}
		time.Sleep(pause)
	}
}

// sync waits for the newest record.
func (s *sharedEvent) sync(e *host.Engine) error {
	seq, own, ours := s.newest()
	switch {
	case seq == 0:
		return nil
	case ours:
		return own.Sync()
	}
	return s.await(seq, e)
}

// wait makes q wait for the newest record.
func (s *sharedEvent) wait(q *host.Queue) error {
	seq, own, ours := s.newest()
	switch {
	case seq == 0:
		return nil
	case ours:
		return q.Wait(own)
	}
	if done, err := s.over(seq); done && err == nil {
		return nil
	}
	g, err := q.Gate()
	if err != nil {
		return err
	}
	go func() {
		if err := s.await(seq, q.Engine()); err != nil {
			g.Fail(err)
		} else {
			g.Open()
		}
	}()
	return nil
}
