package main

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunCommand(t *testing.T) {
	t.Parallel()
	_, err := runCommand(t.Context(), t.TempDir(), "go", "no-such-subcommand")
	command, ok := errors.AsType[*CommandError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "go", command.Name)
	assert.NotEmpty(t, command.Stderr)
	_, ok = errors.AsType[*exec.ExitError](err)
	assert.True(t, ok)

	out, err := runCommand(t.Context(), "", "go", "version")
	require.NoError(t, err)
	assert.Contains(t, string(out), "go version")

	_, err = runCommand(t.Context(), "", "gpuevent-no-such-program")
	require.ErrorIs(t, err, exec.ErrNotFound)

	expired, cancel := context.WithDeadlineCause(t.Context(), time.Now(), errors.New("no more time"))
	defer cancel()
	_, err = runCommand(expired, "", "go", "version")
	assert.ErrorContains(t, err, "no more time")
}
