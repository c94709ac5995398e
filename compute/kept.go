package compute

// keptObject is what a graph keeps while it may be launched.
type keptObject interface {
	life() *lifetime
	// end ends the object, which is closed and has no use.
	end(op string) error
}

// kept is what one graph keeps, each object once. No object in it keeps others, except that an
// execution keeps modules: a graph that launches another one keeps all that the other one keeps. So
// no two graphs keep each other.
type kept map[keptObject]struct{}

// add adds an object that the caller has retained, or another graph keeps.
func (k *kept) add(o keptObject) {
	if _, ok := (*k)[o]; ok {
		return
	}
	if *k == nil {
		*k = kept{}
	}
	(*k)[o] = struct{}{}
	o.life().retainAgain()
}

func (k *kept) addAll(other kept) {
	for o := range other {
		k.add(o)
	}
}

// addLaunch adds what a launch uses. The caller has retained it.
func (k *kept) addLaunch(kernel *Kernel, args []any) {
	k.add(kernel.module.loaded)
	for i := range args {
		if b, ok := args[i].(isBuffer); ok {
			k.add(b.part().block.held())
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
		if o.life().release() {
			report(o.end("Graph.Close"))
		}
	}
	*k = nil
}
