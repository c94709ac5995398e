package timeline

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// perfetto is Perfetto's trace processor: the command in GPUEVENT_TRACE_PROCESSOR, which must take
// the arguments of Perfetto's trace_processor_shell. `make perfetto` sets it.
type perfetto struct {
	command []string
	old     bool // before version 53
}

// query is a query in SQL and the columns of its result.
type query struct {
	sql     string
	columns []string
}

var thePerfetto = sync.OnceValues(func() (perfetto, error) {
	p := perfetto{command: strings.Fields(os.Getenv("GPUEVENT_TRACE_PROCESSOR"))}
	if len(p.command) == 0 {
		return p, nil
	}
	dir, err := os.MkdirTemp("", "perfetto")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	trace := []byte(`{"traceEvents":[{"ph":"X","name":"\t","pid":1,"ts":0,"dur":1}]}`)
	got, err := p.run(dir, trace, query{"select name from slice", []string{"name"}})
	switch {
	case err != nil:
		return p, fmt.Errorf("%v: %w", p.command, err)
	case len(got[0]) != 1:
		return p, fmt.Errorf("%v: %v of a trace of one slice", p.command, got[0])
	}
	p.old = got[0][0][0] != "\t"
	return p, nil
})

func findPerfetto(t *testing.T) perfetto {
	t.Helper()
	p, err := thePerfetto()
	require.NoError(t, err)
	if len(p.command) == 0 {
		t.Skip("GPUEVENT_TRACE_PROCESSOR names no trace processor of Perfetto's: run make perfetto")
	}
	return p
}

// text returns a text as the trace processor reads it: an old one leaves escapes in texts that have
// no quotes.
func (p perfetto) text(s string) string {
	if !p.old || strings.Contains(s, `"`) {
		return s
	}
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string, into memory
	return strings.NewReplacer(`\\`, `\u005c`, `\u2028`, "\u2028", `\u2029`, "\u2029").
		Replace(strings.Trim(data.String(), "\"\n"))
}

// open checks that the trace processor opens a trace and finds nothing wrong with it, and returns
// the results of queries.
func (p perfetto) open(t *testing.T, trace []byte, queries ...query) [][][]string {
	t.Helper()
	results, err := p.run(t.TempDir(), trace, append(queries, query{`select name, value from stats
		where severity in ('error', 'data_loss') and value != 0`, []string{"name", "value"}})...)
	require.NoError(t, err)
	assert.Empty(t, results[len(queries)])
	return results
}

// run returns the rows of each query, as texts. What is null is empty.
func (p perfetto) run(dir string, trace []byte, queries ...query) ([][][]string, error) {
	var selects []string
	for i, q := range queries {
		line := "'" + strconv.Itoa(i) + "'"
		for _, c := range q.columns { // in hexadecimal, since names may have all that CSV quotes
			line += " || ',' || ifnull(hex(cast(" + c + " as text)), '')"
		}
		selects = append(selects, "select "+line+" as line from ("+q.sql+")")
	}
	script, file := filepath.Join(dir, "query.sql"), filepath.Join(dir, "trace.json")
	if err := os.WriteFile(script, []byte(strings.Join(selects, "\nunion all\n")), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, trace, 0o600); err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	command := exec.Command(p.command[0], append(p.command[1:len(p.command):len(p.command)],
		"-q", script, file)...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	results := make([][][]string, len(queries))
	for _, line := range lines[1:] { // the first is the column's name
		number, rest, _ := strings.Cut(strings.Trim(strings.TrimSpace(line), `"`), ",")
		i, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("a line %q", line)
		}
		fields := strings.Split(rest, ",")
		for i, f := range fields {
			text, err := hex.DecodeString(f)
			if err != nil {
				return nil, fmt.Errorf("a line %q: %w", line, err)
			}
			fields[i] = string(text)
		}
		results[i] = append(results[i], fields)
	}
	return results, nil
}
