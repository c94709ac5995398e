package soak

import (
	"fmt"
	"strings"
	"sync"
)

// history is what was last done with an object.
type history struct {
	mu   sync.Mutex
	next int
	ring [48]step
}

type step struct {
	at     tick
	worker int
	what   opKind
	result string
}

func (h *history) add(s step) {
	h.mu.Lock()
	h.ring[h.next%len(h.ring)] = s
	h.next++
	h.mu.Unlock()
}

func (h *history) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	for i := max(0, h.next-len(h.ring)); i < h.next; i++ {
		s := h.ring[i%len(h.ring)]
		fmt.Fprintf(&b, "    %12d  goroutine %2d  %-14s %s\n", s.at, s.worker, s.what, s.result)
	}
	return b.String()
}
