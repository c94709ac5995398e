package header

import (
	"fmt"

	"modernc.org/cc/v4"
)

// pragmas handles the pragmas that change what a header means; cc ignores them all. "once" skips a
// file that was there before, "pack" is noted, and others are errors, for a layout that ignored
// them would be wrong without a word. One handler serves one translation.
func pragmas(packs *packing) func([]cc.Token) error {
	seen := map[string]bool{}
	return func(toks []cc.Token) error {
		if len(toks) == 0 {
			return nil
		}
		at := toks[0].Position()
		switch toks[0].SrcStr() {
		case "once":
			if seen[at.Filename] {
				return cc.SkipSource
			}
			seen[at.Filename] = true
		case "pack":
			return packs.pragma(toks)
		case "ms_struct", "scalar_storage_order":
			return fmt.Errorf("%s:%d: #pragma %s is not supported: it changes layouts", at.Filename, at.Line,
				toks[0].SrcStr())
		}
		return nil
	}
}
