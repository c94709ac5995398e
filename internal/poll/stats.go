package poll

// Stats is what a poller has done so far.
type Stats struct {
	Rounds  uint64 // of queries
	Queries uint64
	Hung    int // queries that have taken longer than the poller's patience and go on
}

// Stats returns what the poller has done.
func (p *Poller) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}
