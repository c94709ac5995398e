//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command and its children end together.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
