package compute

// keptObject is what a graph keeps while it may be launched.
type keptObject interface {
	hold()
	// unhold ends a hold. The last one ends an object that was closed meanwhile.
	unhold() error
}

func (b *block) hold()     { b.holds.Add(1) }
func (b *pinned) hold()    { b.holds.Add(1) }
func (m *loaded) hold()    { m.holds.Add(1) }
func (x *execution) hold() { x.holds.Add(1) }

func (b *block) unhold() error {
	if b.holds.Add(-1) == 0 && b.closed.Load() {
		return b.finish("Graph.Close")
	}
	return nil
}

func (b *pinned) unhold() error {
	if b.holds.Add(-1) == 0 && b.closed.Load() {
		return b.release("Graph.Close")
	}
	return nil
}

func (m *loaded) unhold() error {
	if m.holds.Add(-1) == 0 && m.closed.Load() {
		return m.finish()
	}
	return nil
}

func (x *execution) unhold() error {
	if x.holds.Add(-1) == 0 {
		return x.destroy("Graph.Close")
	}
	return nil
}

// kept is what one graph keeps, each object once. No object in it keeps others, except that an
// execution keeps modules: a graph that launches another one keeps all that the other one keeps. So
// no two graphs keep each other.
type kept map[keptObject]struct{}

func (k *kept) add(o keptObject) {
	if _, ok := (*k)[o]; ok {
		return
	}
	if *k == nil {
		*k = kept{}
	}
	(*k)[o] = struct{}{}
	o.hold()
}

func (k *kept) addAll(other kept) {
	for o := range other {
		k.add(o)
	}
}

// addLaunch adds what a launch uses.
func (k *kept) addLaunch(kernel *Kernel, args []any) {
	k.add(kernel.module.loaded)
	for i := range args {
		if _, ok := args[i].(isBuffer); ok {
			k.add((*span)(box(&args[i]).data).block.held())
		}
	}
}

// held returns what a graph keeps for a block: the module, if the memory belongs to one.
func (b *block) held() keptObject {
	if b.module != nil {
		return b.module.loaded
	}
	return b
}

// drop lets go of everything.
func (k *kept) drop() {
	for o := range *k {
		report(o.unhold())
	}
	*k = nil
}
