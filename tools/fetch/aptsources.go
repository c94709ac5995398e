package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// aptEntry is one of the machine's own package sources: what we take over are its addresses and its
// key.
type aptEntry struct {
	URIs       []string
	Suites     []string
	Components []string
	SignedBy   string // as written: a path, or an inline key with its continuation lines
}

// readAptSources reads the machine's configured sources. It never writes there.
func readAptSources(etc string) ([]aptEntry, error) {
	files, err := filepath.Glob(filepath.Join(etc, "sources.list.d", "*"))
	if err != nil {
		return nil, err
	}
	var entries []aptEntry
	for _, file := range append([]string{filepath.Join(etc, "sources.list")}, files...) {
		var parse func(string) []aptEntry
		switch filepath.Ext(file) {
		case ".list":
			parse = parseListSources
		case ".sources":
			parse = parseDeb822Sources
		default:
			continue // apt ignores such files too
		}
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, parse(string(text))...)
	}
	return entries, nil
}

// parseListSources reads the one-line format.
func parseListSources(text string) []aptEntry {
	var entries []aptEntry
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb")
		if !ok || rest == "" || !strings.ContainsAny(rest[:1], " \t") {
			continue
		}
		var entry aptEntry
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "[") {
			options, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				continue
			}
			for option := range strings.FieldsSeq(options) {
				if key, value, _ := strings.Cut(option, "="); strings.EqualFold(key, "signed-by") {
					entry.SignedBy = value
				}
			}
			rest = after
		}
		fields := strings.Fields(rest)
		if len(fields) < 3 {
			continue
		}
		entry.URIs, entry.Suites, entry.Components = fields[:1], fields[1:2], fields[2:]
		entries = append(entries, entry)
	}
	return entries
}

// parseDeb822Sources reads the stanza format.
func parseDeb822Sources(text string) []aptEntry {
	var entries []aptEntry
	fields := map[string]string{}
	key := ""
	flush := func() {
		if slices.Contains(strings.Fields(fields["types"]), "deb") && !isNo(fields["enabled"]) {
			entries = append(entries, aptEntry{
				URIs:       strings.Fields(fields["uris"]),
				Suites:     strings.Fields(fields["suites"]),
				Components: strings.Fields(fields["components"]),
				SignedBy:   strings.TrimSpace(fields["signed-by"]),
			})
		}
		clear(fields)
		key = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			flush()
		case line[0] == ' ' || line[0] == '\t':
			if key != "" {
				fields[key] += "\n" + line
			}
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				continue
			}
			key = strings.ToLower(strings.TrimSpace(name))
			fields[key] = strings.TrimSpace(value)
		}
	}
	flush()
	return entries
}

func isNo(value string) bool {
	return slices.Contains([]string{"no", "false", "0", "off", "without", "disable"},
		strings.ToLower(value))
}

// archiveEntries keeps the sources that are the distribution's own main archive, so that other
// suites can be asked of the same mirror.
func archiveEntries(entries []aptEntry, codename string) []aptEntry {
	rolling := []string{"stable", "testing", "unstable", "sid"}
	var kept []aptEntry
	for _, e := range entries {
		if !slices.Contains(e.Components, "main") || len(e.URIs) == 0 {
			continue
		}
		if slices.ContainsFunc(e.Suites, func(s string) bool {
			return (codename != "" && s == codename) || slices.Contains(rolling, s)
		}) {
			kept = append(kept, e)
		}
	}
	return kept
}

// stanza writes the source for other suites and areas of the same archive.
func (e aptEntry) stanza(suites, areas []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Types: deb\nURIs: %s\nSuites: %s\nComponents: %s\n", strings.Join(e.URIs, " "),
		strings.Join(suites, " "), strings.Join(areas, " "))
	if e.SignedBy != "" {
		fmt.Fprintf(&b, "Signed-By: %s\n", e.SignedBy)
	}
	return b.String() + "\n"
}

// codenameOf reads the release's code name out of the text of os-release.
func codenameOf(osRelease string) string {
	for line := range strings.Lines(osRelease) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}
