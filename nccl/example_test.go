package nccl_test

import (
	"fmt"

	"github.com/gpuevent/gpuevent/nccl"
)

// The version of the library, on a machine with or without GPUs.
func Example() {
	v, err := nccl.LibraryVersion()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("NCCL", v, v.AtLeast(2, 18))
}

// Settings of a communicator that does not block. One process makes the id and sends it to all
// others; each of them calls CommInitRankConfig with its GPU as the current device.
func ExampleNewConfig() {
	config := nccl.NewConfig()
	config.Blocking = 0
	id, err := nccl.GetUniqueId()
	if err != nil {
		fmt.Println(err)
		return
	}
	comm, err := nccl.CommInitRankConfig(2, id, 0, &config)
	for err == nccl.ErrInProgress {
		var state nccl.Result
		if state, err = nccl.CommGetAsyncError(comm); err == nil && state == nccl.ErrInProgress {
			err = state
		}
	}
	fmt.Println(comm, err)
}
