package model

// Release is one header version as the header stage reads it: a model of that version alone, and
// the symbols that only the header's internal view declares.
type Release struct {
	*Model
	Internal []string // sorted
}

// Name is the version's name: "12.4".
func (r Release) Name() string { return r.Versions[0].Name }
