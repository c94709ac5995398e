package planted

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("planted.list", false, "rewrite docs/planted.md")

// list is the table as a page.
func list() string {
	var b strings.Builder
	all := plants()
	fmt.Fprintf(&b, "# Planted mistakes\n\n"+
		"Written by `go test ./internal/testing/planted -planted.list`. The proofs are proved by %d "+
		"mistakes\nthat are planted into specs, facts, rules, locks, the generator, the code that it "+
		"writes and the\ncall path. Each has to be found by the test that is named here, with a message "+
		"that matches: `make\nplanted` plants all of them, each alone; `make test-long` most of them, "+
		"several at a time; `make\ntest` those that the generator refuses. A mistake in specs, facts or "+
		"the generator is planted before\neverything is generated anew, so that the bindings and the "+
		"oracle agree with each other. Eight more\nare planted into the oracle's C text: "+
		"`TestOracleFindsPlantedErrors`.\n", len(all))
	for _, in := range []place{inSpec, inFacts, inRules, inLock, inGenerator, inCode, inCallPath} {
		fmt.Fprintf(&b, "\n## %s\n\n", strings.ToUpper(string(in[:1]))+string(in[1:]))
		b.WriteString("| mistake | file | found by | needs | its message matches |\n" +
			"|---|---|---|---|---|\n")
		for _, p := range all {
			if p.place == in {
				fmt.Fprintf(&b, "| %s | `%s` | `%s` | %s | `%s` |\n", p.name, p.file, p.finder, p.needs,
					strings.ReplaceAll(p.says, "|", "\\|"))
			}
		}
	}
	return b.String()
}

func (n need) String() string {
	var names []string
	for i, name := range []string{"C compiler", "headers", "real libraries", "amd64"} {
		if n&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "Go alone"
	}
	return strings.Join(names, ", ")
}

// TestList wants the page to be what the table says.
func TestList(t *testing.T) {
	page := filepath.Join(repository(t), "docs", "planted.md")
	if *rewrite {
		require.NoError(t, os.WriteFile(page, []byte(list()), 0o644))
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, list(), strings.ReplaceAll(string(text), "\r\n", "\n"),
		"go test ./internal/testing/planted -planted.list writes it")
}
