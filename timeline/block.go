package timeline

import (
	"encoding/binary"
	"math"
)

// block is encoded items. An item is written as its differences from the one before, so that a
// span like its predecessor takes a byte for its header and some for its times.
type block struct {
	data   []byte
	n      int
	texts  []string // names, and keys and values of attributes
	labels []*label

	last      record         // written last
	textPlace map[string]int // in texts
	lanePlace map[*label]int // in labels
}

const (
	blockSize = 64 << 10
	mostBytes = 1 << 10 // of an item, at most
)

// An item's header has its kind in the lowest bits and these.
const (
	kindBits  = 7
	nextID    = 1 << 3 // its id follows the last one's
	sameName  = 1 << 4
	sameLane  = 1 << 5 // it began on the last one's lane
	sameEnd   = 1 << 6 // it ended on the lane where it began
	hasExtras = 1 << 7 // any other field that is not zero
)

// newBlock makes a block. A timeline's first one grows, since many timelines have few items.
func newBlock(large bool) *block {
	b := &block{textPlace: map[string]int{}, lanePlace: map[*label]int{}}
	if large {
		b.data = make([]byte, 0, blockSize)
	}
	return b
}

func (b *block) isFull() bool { return len(b.data) > blockSize-mostBytes }

// seal drops what only writing needs.
func (b *block) seal() { b.textPlace, b.lanePlace = nil, nil }

// frozen returns the block as it is now.
func (b *block) frozen() block {
	return block{data: b.data, n: b.n, texts: b.texts, labels: b.labels}
}

// put appends an item.
func (b *block) put(r *record) {
	last := &b.last
	head := byte(r.kind) & kindBits
	if r.id == last.id+1 {
		head |= nextID
	}
	if r.name == last.name && b.n > 0 {
		head |= sameName
	}
	if r.lane == last.lane {
		head |= sameLane
	}
	if r.endLane == r.lane {
		head |= sameEnd
	}
	if r.parent|r.from != 0 || r.early != 0 || r.value != 0 || len(r.attrs) > 0 {
		head |= hasExtras
	}
	b.data = append(b.data, head)
	if head&nextID == 0 {
		b.signed(int64(r.id - last.id))
	}
	if head&sameName == 0 {
		b.text(r.name)
	}
	if head&sameLane == 0 {
		b.lane(r.lane)
	}
	if head&sameEnd == 0 {
		b.lane(r.endLane)
	}
	b.signed(r.start - last.end)
	b.signed(r.end - r.start)
	b.signed(r.bound - last.bound)
	if head&hasExtras != 0 {
		b.extras(r)
	}
	*last = *r
	last.attrs = nil
	b.n++
}

// extras appends what most spans have not.
func (b *block) extras(r *record) {
	b.signed(int64(r.id - r.parent))
	b.signed(int64(r.id - r.from))
	b.signed(r.early)
	b.unsigned(math.Float64bits(r.value))
	b.unsigned(uint64(len(r.attrs)))
	for _, a := range r.attrs {
		b.text(a.Key)
		b.data = append(b.data, byte(a.kind))
		if a.kind == textAttr {
			b.text(a.text)
		} else {
			b.unsigned(a.bits)
		}
	}
}

func (b *block) signed(v int64)    { b.data = binary.AppendVarint(b.data, v) }
func (b *block) unsigned(v uint64) { b.data = binary.AppendUvarint(b.data, v) }

// text appends a text by its place in the block's list.
func (b *block) text(s string) {
	at, known := b.textPlace[s]
	if !known {
		at = len(b.texts)
		b.texts = append(b.texts, s)
		b.textPlace[s] = at
	}
	b.unsigned(uint64(at))
}

// lane appends a label by its place in the block's list.
func (b *block) lane(l *label) {
	at, known := b.lanePlace[l]
	if !known {
		at = len(b.labels)
		b.labels = append(b.labels, l)
		b.lanePlace[l] = at
	}
	b.unsigned(uint64(at))
}

// decode calls f for each item. The record is used again for the next one.
func (b *block) decode(f func(*record)) {
	d := decoder{b.texts, b.data}
	var r record
	var attrs []Attr
	for range b.n {
		head := d.data[0]
		d.data = d.data[1:]
		r.kind = Kind(head & kindBits)
		r.id++
		if head&nextID == 0 {
			r.id += uint64(d.signed()) - 1
		}
		if head&sameName == 0 {
			r.name = b.texts[d.unsigned()]
		}
		if head&sameLane == 0 {
			r.lane = b.labels[d.unsigned()]
		}
		r.endLane = r.lane
		if head&sameEnd == 0 {
			r.endLane = b.labels[d.unsigned()]
		}
		r.start = r.end + d.signed()
		r.end = r.start + d.signed()
		r.bound += d.signed()
		r.parent, r.from, r.early, r.value, r.attrs = 0, 0, 0, 0, nil
		if head&hasExtras != 0 {
			r.attrs = attrs[:0]
			d.extras(&r)
			attrs = r.attrs
		}
		f(&r)
	}
}

// decoder reads a block.
type decoder struct {
	texts []string
	data  []byte // what is left
}

func (d *decoder) extras(r *record) {
	r.parent, r.from = r.id-uint64(d.signed()), r.id-uint64(d.signed())
	r.early, r.value = d.signed(), math.Float64frombits(d.unsigned())
	for range d.unsigned() {
		a := Attr{Key: d.texts[d.unsigned()], kind: attrKind(d.data[0])}
		d.data = d.data[1:]
		if a.kind == textAttr {
			a.text = d.texts[d.unsigned()]
		} else {
			a.bits = d.unsigned()
		}
		r.attrs = append(r.attrs, a)
	}
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.data)
	d.data = d.data[n:]
	return v
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.data)
	d.data = d.data[n:]
	return v
}
