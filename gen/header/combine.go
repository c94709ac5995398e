package header

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
)

// combine makes one model of what the targets see. The first target leads; what only others declare
// is added. Prototypes, types and values must agree, for callers can't choose by target; layouts
// are collected.
func combine(units []*unit) (*model.Model, error) {
	m := &model.Model{}
	var err error
	if m.Functions, err = union(units, func(u *unit) map[string]*model.Function { return u.functions },
		nil); err != nil {
		return nil, err
	}
	if m.Enums, err = union(units, func(u *unit) map[string]*model.Enum { return u.enums },
		nil); err != nil {
		return nil, err
	}
	if m.Structs, err = union(units, func(u *unit) map[string]*model.Struct { return u.structs },
		joinLayouts); err != nil {
		return nil, err
	}
	if m.Typedefs, err = union(units, func(u *unit) map[string]*model.Typedef { return u.typedefs },
		nil); err != nil {
		return nil, err
	}
	if m.Consts, err = union(units, func(u *unit) map[string]*model.Const { return u.consts },
		nil); err != nil {
		return nil, err
	}
	if m.Aliases, err = union(units, func(u *unit) map[string]*model.Alias { return u.aliases },
		nil); err != nil {
		return nil, err
	}
	return m, nil
}

// union collects entities by name. join takes what may differ out of the second and into the first;
// then both must be equal.
func union[T any](units []*unit, list func(*unit) map[string]*T,
	join func(lead, other *T) bool) ([]T, error) {
	lead := map[string]*T{}
	from := map[string]*unit{}
	for _, u := range units {
		for name, it := range list(u) {
			first, ok := lead[name]
			switch {
			case !ok:
				lead[name], from[name] = it, u
			case join != nil && !join(first, it), join == nil && !reflect.DeepEqual(first, it):
				return nil, fmt.Errorf("%w: %s on %s is not what it is on %s: %+v, %+v", ErrTargets, name,
					u.target, from[name].target, *it, *first)
			}
		}
	}
	var out []T
	for _, name := range slices.Sorted(maps.Keys(lead)) {
		out = append(out, *lead[name])
	}
	return out, nil
}

// joinLayouts adds the other target's layout, to an equal one or as a new one, and reports whether
// the members are the same.
func joinLayouts(lead, other *model.Struct) bool {
	if lead.Union != other.Union || lead.Tag != other.Tag || len(lead.Fields) != len(other.Fields) {
		return false
	}
	for i := range lead.Fields {
		a, b := &lead.Fields[i], &other.Fields[i]
		if a.Name != b.Name || a.Type != b.Type || a.Bits != b.Bits || a.BitOffset != b.BitOffset ||
			(a.Inner == nil) != (b.Inner == nil) {
			return false
		}
		if a.Inner != nil && !joinLayouts(a.Inner, b.Inner) {
			return false
		}
	}
	for _, o := range other.Layouts {
		i := slices.IndexFunc(lead.Layouts, func(l model.Layout) bool {
			return l.Size == o.Size && l.Align == o.Align && slices.Equal(l.Offsets, o.Offsets)
		})
		if i < 0 {
			lead.Layouts = append(lead.Layouts, o)
		} else {
			lead.Layouts[i].Targets = append(lead.Layouts[i].Targets, o.Targets...)
		}
	}
	return true
}
