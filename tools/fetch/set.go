package main

// Set is the packages that together fill one version folder.
type Set struct {
	API     string // or base
	Version string
	Pins    []Pin
}

// String names the set as its folder is named.
func (s Set) String() string { return s.API + "/" + s.Version }

// Base is the set of common libraries that this one runs on, empty if it needs none.
func (s Set) Base() string {
	for _, p := range s.Pins {
		if p.Base != "" {
			return p.Base
		}
	}
	return ""
}

// withoutLarge returns the set without its large packages, and the names of those that it lost.
func (s Set) withoutLarge() (Set, []string) {
	kept := Set{API: s.API, Version: s.Version}
	var lost []string
	for _, p := range s.Pins {
		if p.Large {
			lost = append(lost, p.Name())
			continue
		}
		kept.Pins = append(kept.Pins, p)
	}
	return kept, lost
}

// setsOf groups pins by version, in the order in which the versions first appear.
func setsOf(api string, pins []Pin) []Set {
	var sets []Set
	at := map[string]int{}
	for _, p := range pins {
		i, ok := at[p.Version]
		if !ok {
			i = len(sets)
			at[p.Version] = i
			sets = append(sets, Set{API: api, Version: p.Version})
		}
		sets[i].Pins = append(sets[i].Pins, p)
	}
	return sets
}
