package proof

// Lacks says why the library of a release lacks the symbol, "" if it has it as far as the rules
// know.
func (f *Function) Lacks(release string) string {
	g := f.Gap
	switch {
	case f.Missing != "":
		return f.Missing
	case g.From != "" && compareVersions(release, g.From) < 0,
		g.Until != "" && compareVersions(release, g.Until) >= 0:
		return ""
	}
	return g.Why
}
