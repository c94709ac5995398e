package emit

import (
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

const modulePath = "github.com/gpuevent/gpuevent"

// Plan holds all decisions about an API's bindings. They are made in three stages, each of which
// has its own type and knows only those before it: naming (namer), typing, and calls. Rendering
// follows the plan and decides nothing.
type Plan struct {
	*calls

	Names []rules.Name // every Go name with its shape, for the lock
	Fresh []rules.Name // those that the lock lacks
	// Guarded are functions that some libraries are refused for, unlike when the lock was written.
	Guarded []string
}

// spec is what the bindings are made from.
type spec struct {
	Model *model.Model
	Rules *rules.Rules
}

// notes is what a maintainer must know of the decisions.
type notes struct {
	Guesses []rules.Guess // decisions that no rule covers
	Unbound []Unbound     // what Go can't express, with the reason
}

// Unbound is an entity of the headers that the bindings lack.
type Unbound struct{ Kind, C, Reason string }

// NewPlan makes all decisions. The model and the rules must have passed their Check.
func NewPlan(m *model.Model, r *rules.Rules) (*Plan, error) {
	from, n := spec{m, r}, newNamer(m, r)
	if err := n.nameFunctions(); err != nil {
		return nil, err
	}
	types, err := newTyping(from, n)
	if err != nil {
		return nil, err
	}
	c, err := newCalls(types)
	if err != nil {
		return nil, err
	}
	c.Guesses = append(c.Guesses, r.Inherited...)
	p := &Plan{calls: c, Names: n.names, Fresh: n.fresh}
	p.shape(p.Names)
	source := "specs/" + r.API + ".toml"
	p.Guarded = r.Lock.NewLayouts(p.Names)
	if err := r.Lock.Check(p.Names, &r.Binding, source); err != nil {
		return nil, err
	}
	return p, nil
}

func (p spec) vendor() string { return p.Rules.Binding.Vendor }
