package gpuevent_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// phrases are those that have no place in documents, comments, messages and texts, with what to
// write instead. CONTRIBUTING.md has the vocabulary.
var phrases = []struct{ pattern, instead string }{
	{`tells? whether`, "reports whether"},
	{`reckon(s|ed)? with`, "assumes that ... may"},
	{`whoever waits( already)?`, "existing waiters"},
	{`the place he waits`, "the earlier record"},
	{`lends? (a|its|his|the) thread`, "occupies a thread"},
	{`(is|are) not concerned`, "is not affected"},
	{`(can't|cannot|could not|couldn't) be had`, "is not available"},
	{`\bends? here\b`, "say what ends, and how"},
	{`\belse refuse`, "otherwise refuse"},
	{`how manieth`, "which, the n-th"},
	{`\bhear(s|d)? of\b`, "is reported to, wakes up, learns"},
	{`syncs? spin\b`, "Sync spins"},
	{`made of (queries|questions)`, "implemented by polling"},
	{`after a line more in`, "after adding a line to"},
	{`memory tells? the device`, "the memory identifies the device"},
	{`host event: host:`, "the object once"},
	{`\bcures?\b`, "remedy"},
	{`makes? the careful (way|choice)|takes? the careful way`, "takes the safer assumption"},
	{`is of no use`, "cannot be used"},
	{`call hipSetDevice on this thread`, "use Device.Do"},
}

// anyPhrase finds each of them.
var anyPhrase = func() *regexp.Regexp {
	var all []string
	for _, p := range phrases {
		all = append(all, p.pattern)
	}
	return regexp.MustCompile(`(?i)` + strings.Join(all, "|"))
}()

// text is a file that somebody reads.
type text struct {
	path  string
	lines []string
}

// texts are the documents, the Go files and the specs.
func texts(t *testing.T) (all []text) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name != "." && name[0] == '.' && name != ".github" {
				return filepath.SkipDir
			}
			return nil
		}
		path = filepath.ToSlash(path)
		if !slices.Contains([]string{".md", ".go", ".toml", ".yml"}, filepath.Ext(name)) &&
			name != "Makefile" || path == "docs_test.go" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, text{path, strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")})
		return nil
	})
	require.NoError(t, err)
	return all
}

// findPhrases looks for the phrases, also where a line ends in their middle.
func findPhrases(x text) (found []string) {
	var b strings.Builder
	var starts []int
	for _, line := range x.lines {
		starts = append(starts, b.Len())
		line = strings.TrimLeft(line, " \t")
		for _, mark := range []string{"// ", "# ", "- ", "> "} {
			line = strings.TrimPrefix(line, mark)
		}
		b.WriteString(strings.TrimRight(line, " \t") + " ")
	}
	if !anyPhrase.MatchString(b.String()) {
		return nil
	}
	for _, p := range phrases {
		for _, at := range regexp.MustCompile(`(?i)`+p.pattern).FindAllStringIndex(b.String(), -1) {
			line, _ := slices.BinarySearch(starts, at[0]+1)
			found = append(found, fmt.Sprintf("%s:%d: %q: write %q", x.path, line,
				b.String()[at[0]:at[1]], p.instead))
		}
	}
	return found
}

// TestPhrases looks for phrases that read translated, and for words that have another one.
func TestPhrases(t *testing.T) {
	t.Parallel()
	for _, x := range texts(t) {
		for _, f := range findPhrases(x) {
			t.Error(f)
		}
	}
}

func TestPhrasesAreFound(t *testing.T) {
	t.Parallel()
	x := text{"a.go", []string{"package a", "", "// F tells", "// whether it is so.", "func F()"}}
	assert.Equal(t, []string{`a.go:3: "tells whether": write "reports whether"`}, findPhrases(x))
	x.lines[2], x.lines[3] = "// F reports", "// whether it is secure."
	assert.Empty(t, findPhrases(x))
}

// widest is the longest that a line may be, with a tab as one column.
const widest = 100

var (
	generated   = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)
	linkLine    = regexp.MustCompile(`https?://\S{20,}`)
	markdownRow = regexp.MustCompile(`^\s*\|`)
	codeComment = regexp.MustCompile("^\\s*//(go:|\t| {4})")
)

// findLong looks for lines that are too long, outside tables, links, code blocks, literals in back
// quotes and generated files.
func findLong(x text) (found []string) {
	markdown := strings.HasSuffix(x.path, ".md")
	if !markdown && !strings.HasSuffix(x.path, ".go") {
		return nil
	}
	fenced, raw := false, false
	for i, line := range x.lines {
		if generated.MatchString(line) {
			return nil
		}
		inside := fenced || raw
		if markdown && strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if !markdown && strings.Count(line, "`")%2 == 1 {
			raw = !raw
			inside = true
		}
		exempt := inside || linkLine.MatchString(line) ||
			markdown && (markdownRow.MatchString(line) || strings.HasPrefix(line, "    ")) ||
			!markdown && (codeComment.MatchString(line) || strings.Contains(line, "`"))
		if n := utf8.RuneCountInString(line); n > widest && !exempt {
			found = append(found, fmt.Sprintf("%s:%d: %d columns", x.path, i+1, n))
		}
	}
	return found
}

// TestLinesAreShort looks for lines over 100 columns.
func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	for _, x := range texts(t) {
		for _, f := range findLong(x) {
			t.Error(f)
		}
	}
}

func TestLongLinesAreFound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 25)
	link := "https://example.org/" + strings.Repeat("x", 100)
	for name, c := range map[string]struct {
		path  string
		lines []string
		found int
	}{
		"prose":              {"a.md", []string{long}, 1},
		"code":               {"a.go", []string{"var x = " + long}, 1},
		"comment":            {"a.go", []string{"// " + long}, 1},
		"short":              {"a.md", []string{long[:100]}, 0},
		"runes, not bytes":   {"a.md", []string{strings.Repeat("µ", 100)}, 0},
		"table":              {"a.md", []string{"| " + long + " |"}, 0},
		"link":               {"a.md", []string{"[x]: " + link}, 0},
		"fenced":             {"a.md", []string{"```", long, "```"}, 0},
		"after the fence":    {"a.md", []string{"```", "```", long}, 1},
		"indented":           {"a.md", []string{"    " + long}, 0},
		"code in a comment":  {"a.go", []string{"//\t" + long}, 0},
		"directive":          {"a.go", []string{"//go:generate " + long}, 0},
		"in back quotes":     {"a.go", []string{"var x = `", long, "`"}, 0},
		"after back quotes":  {"a.go", []string{"var x = `", "`", long}, 1},
		"generated":          {"a.go", []string{"// Code generated by x. DO NOT EDIT.", long}, 0},
		"neither of the two": {"a.toml", []string{long}, 0},
	} {
		assert.Len(t, findLong(text{c.path, c.lines}), c.found, name)
	}
}

// mapped are the packages in the first table of docs/design.md.
func mapped(t *testing.T) (all []string) {
	page, err := os.ReadFile("docs/design.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "\n| package |")
	table, _, _ := strings.Cut(rest, "\n\n")
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		all = append(all, m[1])
	}
	return all
}

// TestMap wants the map in docs/design.md to name every package of the root module, and no other.
func TestMap(t *testing.T) {
	t.Parallel()
	modules := []string{"gen", "tools"} // of their own
	var packages []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(modules, path) || d.Name() == "testdata" ||
				d.Name() != "." && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != "." {
				return filepath.SkipDir
			}
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if filepath.Ext(path) == ".go" && !slices.Contains(packages, dir) {
			packages = append(packages, dir)
		}
		return nil
	})
	require.NoError(t, err)
	assert.ElementsMatch(t, packages, mapped(t), "packages, and those in docs/design.md")
}
