package sim

// freedBlocks remembers the latest blocks that were freed, for messages. It keeps memory of the
// host, so that nothing else gets its address at once.
type freedBlocks struct {
	ring [1024]*block
	next int
	host uintptr // bytes of the host's that are kept
}

// keepHost is how many bytes of freed host memory are kept at most.
const keepHost = 64 << 20

// bury spoils freed memory, so that it is noticed when somebody still reads it.
func (m *memory) bury(b *block) {
	if b.kind != registeredBlock {
		fillBytes(b.data, poison)
	}
	m.freed.add(b)
}

func (r *freedBlocks) add(b *block) {
	if old := r.ring[r.next]; old != nil {
		r.forget(old)
	}
	r.ring[r.next] = b
	r.next = (r.next + 1) % len(r.ring)
	if b.kind == deviceBlock || b.kind == registeredBlock {
		b.data = nil
		return
	}
	r.host += b.size
	for i := 0; r.host > keepHost && i < len(r.ring); i++ {
		if old := r.ring[(r.next+i)%len(r.ring)]; old != nil {
			r.forget(old)
		}
	}
}

// forget lets the memory of a host's block go, and with it the address.
func (r *freedBlocks) forget(b *block) {
	if b.data != nil {
		r.host -= b.size
		b.data = nil
	}
}

// of returns the block that an address belonged to. The host may have used the address again.
func (r *freedBlocks) of(address uintptr) *block {
	for i := range r.ring {
		b := r.ring[(r.next-1-i+2*len(r.ring))%len(r.ring)]
		if b != nil && address-b.at < b.size && (b.kind == deviceBlock || b.data != nil) {
			return b
		}
	}
	return nil
}
