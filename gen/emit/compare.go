package emit

import (
	"github.com/gpuevent/gpuevent/gen/model"
)

// change is how a newer layout of a struct relates to an older one.
type change int

const (
	// same: what the older layout has, the newer has too, at the same place; it may have members
	// where the older one has reserved bytes, or more members in a union
	same  change = iota
	grown        // the same, but the newer is larger: an array of the older one has other strides
	moved        // a member lies elsewhere, so the newer layout is wrong for older libraries
)

// compare compares two layouts of a struct, each as of a version.
func (z *sizes) compare(old, cur *model.Struct, oldVersion, curVersion string) change {
	return z.compareDepth(old, cur, oldVersion, curVersion, 0)
}

func (z *sizes) compareDepth(old, cur *model.Struct, was, now string, depth int) change {
	oldSize, curSize := old.Layouts[0].Size, cur.Layouts[0].Size
	if oldSize > curSize || depth > 16 {
		return moved
	}
	leaves := z.leaves(cur, now)
	byPath := map[string]leaf{}
	for _, l := range leaves {
		byPath[l.path] = l
	}
	for _, o := range z.leaves(old, was) {
		if o.reserved() {
			continue
		}
		n, ok := byPath[o.path]
		if !ok {
			if replaced(o, leaves) {
				return moved
			}
			continue
		}
		larger := n.size > o.size && (o.inUnion || o.offset+o.size == oldSize)
		if n.offset != o.offset || n.first != o.first || n.bits != o.bits ||
			n.size != o.size && !larger || z.innerMoved(o, n, was, now, depth) {
			return moved
		}
	}
	if oldSize != curSize {
		return grown
	}
	return same
}

// replaced reports whether a field that is gone has others in its place that divide it otherwise.
func replaced(o leaf, leaves []leaf) bool {
	for _, n := range leaves {
		overlap := n.offset < o.offset+o.size && o.offset < n.offset+n.size
		if overlap && !n.reserved() && !n.inUnion && !o.inUnion && (n.offset != o.offset ||
			n.size != o.size) {
			return true
		}
	}
	return false
}

// innerMoved reports whether a field's own type is a struct whose members moved.
func (z *sizes) innerMoved(o, n leaf, was, now string, depth int) bool {
	a, b := base(o.typ), base(n.typ)
	if a == "" || b == "" {
		return false
	}
	s, t := z.structOf(a, was), z.structOf(b, now)
	if s == nil || t == nil {
		return (s == nil) != (t == nil) && o.size != n.size
	}
	c := z.compareDepth(s, t, was, now, depth+1)
	return c == moved || c == grown && !o.inUnion && !single(o.typ)
}

// base is the name of the type that an array is made of, or a type itself; "" for pointers.
func base(t model.Type) string {
	c, err := t.Parse()
	if err != nil {
		return ""
	}
	for c.Kind == model.Array {
		c = c.Elem
	}
	if c.Kind != model.Named {
		return ""
	}
	return c.Name
}

func single(t model.Type) bool {
	c, err := t.Parse()
	return err == nil && c.Kind == model.Named
}
