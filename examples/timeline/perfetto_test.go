package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

// TestPerfetto opens the trace in Perfetto's own parser; see `make perfetto`.
func TestPerfetto(t *testing.T) {
	t.Parallel()
	command := strings.Fields(os.Getenv("GPUEVENT_TRACE_PROCESSOR"))
	if len(command) == 0 {
		t.Skip("GPUEVENT_TRACE_PROCESSOR names no trace processor of Perfetto's: run make perfetto")
	}
	d, err := event.Open("host")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, run(d, dir))
	query := filepath.Join(dir, "query.sql")
	require.NoError(t, os.WriteFile(query, []byte(`
		select group_concat(line, '; ') as all_lines from (
		select thread.name || '/' || s.name || ':' || count(*) as line
			from slice s join thread_track tt on tt.id = s.track_id join thread using (utid)
			group by thread.name, s.name
		union all select o.name || '->' || parent.name || ':' || count(*)
			from flow join slice o on o.id = slice_out join slice i on i.id = slice_in
				join slice parent on parent.id = i.parent_id
			where o.ts <= i.ts
			group by o.name, parent.name
		union all select name || ':' || value from stats
			where severity in ('error', 'data_loss') and value != 0
		order by line)`), 0o600))
	out, err := exec.CommandContext(t.Context(), command[0],
		append(command[1:], "-q", query, filepath.Join(dir, "trace.json"))...).Output()
	require.NoError(t, err)
	_, line, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	reused := batches - buffers
	assert.ElementsMatch(t, []string{
		fmt.Sprint("load/load:", batches), fmt.Sprint("load/wait:", reused),
		fmt.Sprint("load/resumed:", reused),
		fmt.Sprint("compute/compute:", batches), fmt.Sprint("compute/gemm:", batches),
		fmt.Sprint("compute/norm:", batches), fmt.Sprint("compute/wait:", batches),
		fmt.Sprint("compute/resumed:", batches),
		fmt.Sprint("store/store:", batches), fmt.Sprint("store/wait:", batches),
		fmt.Sprint("store/resumed:", batches), "store/all stored:1",
		fmt.Sprint("load->wait:", batches), fmt.Sprint("compute->wait:", batches),
		fmt.Sprint("store->wait:", reused),
	}, strings.Split(strings.Trim(line, `"`), "; "))
}
