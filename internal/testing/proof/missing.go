package proof

import "github.com/gpuevent/gpuevent/internal/versions"

// Lacks says why the library of a release lacks the symbol, "" if it has it as far as the rules
// know.
func (f *Function) Lacks(release string) string {
	g := f.Gap
	switch {
	case f.Missing != "":
		return f.Missing
	case g.From != "" && versions.Compare(release, g.From) < 0,
		g.Until != "" && versions.Compare(release, g.Until) >= 0:
		return ""
	}
	return g.Why
}
