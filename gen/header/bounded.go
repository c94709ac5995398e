package header

import (
	"fmt"
	"time"

	"modernc.org/cc/v4"
)

// What stands behind the header. cc's parser never ends where the text ends right after some
// keywords, such as enum: it waits for a token to come. A declaration behind the header is that
// token, and an error there means that the header's last declaration is not complete.
const (
	endName = "<end>"
	endText = "typedef int gpuevent_end_of_header;\n"
)

// translateLimit is how long cc may work on one header for one target: a vendor's takes less than a
// second, and ten on a busy machine under the race detector.
const translateLimit = time.Minute

// bounded is cc.Translate, which can't be stopped, with an end: what takes longer than limit is
// given up, and goes on until the program ends.
func bounded(limit time.Duration, cfg *cc.Config, sources []cc.Source) (*cc.AST, error) {
	type result struct {
		ast   *cc.AST
		err   error
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panic = recover() // cc panics on some malformed input
			done <- r
		}()
		r.ast, r.err = cc.Translate(cfg, sources)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		if r.panic != nil {
			return nil, fmt.Errorf("the C front end gave up: %v", r.panic)
		}
		return r.ast, r.err
	case <-timer.C:
		return nil, fmt.Errorf("the C front end did not come to an end in %v", limit)
	}
}
