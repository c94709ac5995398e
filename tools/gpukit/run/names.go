package main

import (
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// names are what must not get into the report: the machine's and the user's names, and folders.
func (k *kit) names() []string {
	names := []string{k.temp, filepath.Dir(k.bin), os.Getenv("USER"), os.Getenv("LOGNAME"),
		os.Getenv("SUDO_USER")}
	if host, err := os.Hostname(); err == nil {
		first, _, _ := strings.Cut(host, ".")
		names = append(names, host, first)
	}
	if u, err := user.Current(); err == nil {
		names = append(names, u.Username, u.Name, u.HomeDir)
	}
	if home, err := os.UserHomeDir(); err == nil {
		names = append(names, home)
	}
	if dir, err := os.Getwd(); err == nil {
		names = append(names, dir)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
			names = append(names, n.IP.String())
		}
	}
	return names
}
