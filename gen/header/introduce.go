package header

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// The vendor lists a function pointer type for each version of each entry point:
// PFN_cuMemAlloc_v2000 is that of the symbol cuMemAlloc, PFN_cuMemAlloc_v3020 that of
// cuMemAlloc_v2. Older lists also say by macro which one a plain name means.
var (
	pfnType    = regexp.MustCompile(`\*\s*PFN_(\w+)_v(\d{4,5})\s*\)`)
	pfnDefault = regexp.MustCompile(
		`(?m)^[ \t]*#[ \t]*define[ \t]+PFN_(\w+)[ \t]+(?:PFN_(\w+)_v(\d{4,5})\b|__API_TYPEDEF_PT[DS][SZ]\(PFN_(\w+),[ \t]*(\d{4,5}))`)
	symbolName = regexp.MustCompile(`^(\w+?)(?:_v(\d+))?$`)
)

// introduce sets Since of the functions whose introducing version the vendor's tables name, if it
// is older than the header. others are symbols that are no public functions, but count in the order
// of a name's versions.
func (p *parser) introduce(m *model.Model, others []string) error {
	if p.api.Typedefs == "" {
		return nil
	}
	lists, err := filepath.Glob(filepath.Join(globQuote(p.opts.Dir), p.api.Typedefs))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	numbers := map[string][]int{} // base name -> versions
	defaults := map[string]int{}  // source name -> version
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNoHeader, err)
		}
		readTable(string(text), numbers, defaults)
	}
	var symbols []string
	for _, f := range m.Functions {
		symbols = append(symbols, f.Name)
	}
	since := introductions(append(symbols, others...), numbers, defaults)
	own := m.Versions[0].Name
	for i := range m.Functions {
		f := &m.Functions[i]
		if n := since[f.Name]; n > 0 {
			if v := p.api.Version.Text(n); model.CompareVersions(v, own) < 0 {
				f.Since = v
			} else if v == own {
				f.Exact = true
			}
		}
	}
	return nil
}

// introductions gives each symbol the version that brought it. The n-th symbol of a family belongs
// to the n-th version of its name, if there are as many of both. Else only macros help: one for a
// plain name means the family's newest symbol, one with a suffix means the very symbol. What stays
// unclear stays out.
func introductions(symbols []string, numbers map[string][]int,
	defaults map[string]int) map[string]int {
	families := map[string][]string{}
	for _, name := range symbols {
		base := symbolName.FindStringSubmatch(name)[1]
		families[base] = append(families[base], name)
	}
	since := map[string]int{}
	for base, family := range families {
		slices.SortFunc(family, func(a, b string) int { return suffix(a) - suffix(b) })
		if ns := numbers[base]; len(ns) == len(family) {
			ns = slices.Sorted(slices.Values(ns))
			for i, s := range family {
				since[s] = ns[i]
			}
			continue
		}
		for _, s := range family {
			if n := defaults[s]; n > 0 && s != base {
				since[s] = n
			}
		}
		newest := family[len(family)-1]
		if n := defaults[base]; n > 0 && n == slices.Max(append([]int{0}, numbers[base]...)) &&
			since[newest] == 0 {
			since[newest] = n
		}
	}
	return since
}

func readTable(text string, numbers map[string][]int, defaults map[string]int) {
	for _, m := range pfnType.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil && !slices.Contains(numbers[m[1]], n) {
			numbers[m[1]] = append(numbers[m[1]], n)
		}
	}
	for _, m := range pfnDefault.FindAllStringSubmatch(text, -1) {
		digits := m[3] + m[5]
		if n, err := strconv.Atoi(digits); err == nil {
			defaults[m[1]] = n
		}
	}
}

// suffix is a symbol's number in its family: 2 of cuMemAlloc_v2, 1 of cuMemAlloc.
func suffix(symbol string) int {
	n, err := strconv.Atoi(symbolName.FindStringSubmatch(symbol)[2])
	if err != nil {
		return 1
	}
	return n
}

// globQuote makes a folder's name safe as the beginning of a glob.
func globQuote(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
