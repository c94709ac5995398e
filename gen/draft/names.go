package draft

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// firstWord is what a name begins with: toyCreate, toy_create, TOY_CREATE, _toyCreate.
var firstWord = regexp.MustCompile(`^_*(?:[a-z][a-z0-9]*_|[A-Z][A-Z0-9]*_|[a-z]+|[A-Z]+[a-z]*)`)

// prefixes are the first words of names, the most frequent first. Those of less than a tenth of the
// names are left out.
func prefixes(names []string) []string {
	count := map[string]int{}
	for _, n := range names {
		if w := firstWord.FindString(n); len(w) < len(n) {
			count[w]++
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	return slices.DeleteFunc(words, func(w string) bool { return count[w]*10 < len(names) })
}

// like keeps the words that are an API's: those that begin as its most frequent one, in any case.
func like(words []string, api string) []string {
	api = strings.Trim(strings.ToLower(api), "_")
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		w = strings.ToLower(strings.Trim(w, "_"))
		return !strings.HasPrefix(w, api) && !strings.HasPrefix(api, w)
	})
}

// frequent reports whether a tenth of the names begin with a word.
func frequent(names []string, word string) bool {
	n := 0
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			n++
		}
	}
	return n > 0 && n*10 >= len(names)
}

// common is the longest beginning of all names.
func common(names []string) string {
	if len(names) < 2 {
		return ""
	}
	p := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, p) {
			p = p[:len(p)-1]
		}
	}
	return p
}
