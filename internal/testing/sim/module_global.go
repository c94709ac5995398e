package sim

import "strings"

// placeGlobals gives the module's variables memory of its device.
func (f *face) placeGlobals(m *module) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	d := m.home.device
	m.globals = map[string]*block{}
	for _, g := range m.program.globals {
		if g.size > d.memory-d.used {
			for _, b := range m.globals {
				f.drop(b)
			}
			return outOfMemory
		}
		d.used += g.size
		b := &block{at: deviceAddress(g.size), size: g.size, device: d, context: m.home,
			reached: true, global: true, data: newMemory(g.size)}
		copy(b.data, g.value)
		f.add(b)
		m.globals[strings.Clone(g.name)] = b
	}
	return success
}

func (f *face) moduleGlobal(call string, at, size *uintptr, h uintptr, name *byte) code {
	m, fault := f.module(call, h)
	switch {
	case at == nil && size == nil || name == nil:
		return invalidValue
	case fault != success:
		return fault
	}
	want := goText(name)
	if want == "" {
		return f.missingName()
	}
	b := m.globals[want]
	if b == nil {
		return notFound
	}
	if at != nil {
		*at = b.at
	}
	if size != nil {
		*size = b.size
	}
	return success
}
