// Command threads ends threads that have called the driver while signals arrive. Without cgo this
// process has two Go runtimes, each of which wants something of a thread that ends.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"

	"github.com/gpuevent/gpuevent/cudrv"
)

func main() {
	if err := cudrv.Init(0); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				_ = syscall.Kill(os.Getpid(), syscall.SIGCHLD)
			}
		}
	}()
	for range 200 {
		var ended sync.WaitGroup
		for range 10 {
			ended.Go(func() {
				runtime.LockOSThread() // for good: the thread ends with the goroutine
				if _, err := cudrv.DeviceGetCount(); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
			})
		}
		ended.Wait()
	}
	close(done)
	fmt.Println("ok")
}
