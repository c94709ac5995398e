package liberr_test

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/liberr"
)

// One type finds the error of a missing library, whichever vendor it is.
func ExampleLibraryError() {
	for _, err := range []error{cudrv.Init(0), hip.Init(0)} {
		var missing *liberr.LibraryError
		if errors.As(err, &missing) {
			fmt.Println(missing.Library, "is missing:", missing.Remedy)
			for _, a := range missing.Attempts {
				fmt.Println(a)
			}
		}
	}
}

func ExampleSymbolError() {
	_, err := cudrv.EventElapsedTimeV2(0, 0)
	var missing *liberr.SymbolError
	if errors.As(err, &missing) && missing.Updatable {
		fmt.Println(missing.Symbol, "is not there:", missing.Update)
	}
}

func ExampleLayoutError() {
	err := error(&liberr.LayoutError{Symbol: "toyGetProperties", Struct: "toyProperties_t", From: "2",
		API: "Toy", Library: "libtoy.so.1", Version: "1.5", Update: "update the Toy driver"})
	var layout *liberr.LayoutError
	if errors.Is(err, liberr.ErrLayout) && errors.As(err, &layout) {
		fmt.Println(layout.Struct, "is another one in", layout.API, layout.Version)
	}
	// Output: toyProperties_t is another one in Toy 1.5
}
