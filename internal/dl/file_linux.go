package dl

import "syscall"

// The functions of package os that would do here have an [os.FileInfo] in them, and with it the
// formatting of times: 80 KB in every program.

// kindOf returns what is at a path, at the end of links; "" for a file.
func kindOf(path string) (string, error) {
	var s syscall.Stat_t
	if err := finish(func() error { return syscall.Stat(path, &s) }); err != nil {
		return "", err
	}
	switch s.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return "", nil
	case syscall.S_IFDIR:
		return "folder", nil
	case syscall.S_IFIFO:
		return "FIFO", nil
	case syscall.S_IFSOCK:
		return "socket", nil
	case syscall.S_IFBLK, syscall.S_IFCHR:
		return "device", nil
	}
	return "special file", nil
}

// namesIn returns the names in a folder, in any order.
func namesIn(folder string) (names []string, err error) {
	var fd int
	err = finish(func() error {
		fd, err = syscall.Open(folder, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Close(fd) }()
	entries := make([]byte, 8192)
	for {
		var n int
		err = finish(func() error {
			n, err = syscall.ReadDirent(fd, entries)
			return err
		})
		if err != nil || n == 0 {
			return names, err
		}
		_, _, names = syscall.ParseDirent(entries[:n], -1, names)
	}
}

// finish makes a system call again until no signal interrupts it.
func finish(call func() error) (err error) {
	for {
		if err = call(); err != syscall.EINTR {
			return err
		}
	}
}
