package main

import (
	"io"
	"strings"
)

// ANSI escape sequences.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clear      = "\x1b[2J"
	home       = "\x1b[H"
	clearLine  = "\x1b[K" // to its end
	clearBelow = "\x1b[J"
)

// terminal is a screen that replaces one text by the next in place. It writes each text in one
// piece and clears only what is left of the last one, so that nothing flickers.
type terminal struct {
	out   io.Writer
	begun bool
}

func (t *terminal) show(text string) (bool, error) {
	frame := home + strings.ReplaceAll(text, "\n", clearLine+"\n") + clearBelow
	if !t.begun {
		frame, t.begun = hideCursor+clear+frame, true
	}
	_, err := io.WriteString(t.out, frame)
	return true, err
}

func (t *terminal) end() {
	if t.begun {
		_, _ = io.WriteString(t.out, showCursor)
	}
}
