package image

// readGlobal reads a variable from its memory space on, up to what it is initialized with.
func (p *ptx) readGlobal() error {
	size, name := uint64(0), ""
	for name == "" {
		token := p.next()
		s, scalar := scalars[token]
		switch {
		case scalar:
			size = max(size, 1) * uint64(s.Size)
		case token == ".v2":
			size = 2
		case token == ".v4":
			size = 4
		case token == ".align":
			p.number()
		case token == ".attribute":
			for token != ")" && token != "" {
				token = p.next()
			}
		case token == "":
			return truncated("the text ends in a variable")
		case inWord(token[0]):
			name = token
		case token[0] != '.':
			return malformed("a variable without a name")
		}
	}
	for p.accept("[") {
		n, _ := p.number() // none: it is in the list that follows, or in another text
		if size *= uint64(n); size > 1<<40 {
			return malformed("variable %.80s is too large", name)
		}
		if !p.accept("]") {
			return malformed("the array %.80s has no size", name)
		}
	}
	if size > 0 && name[0] != '$' { // $str is a text of the compiler's
		p.globals = append(p.globals, Global{name, size})
	}
	return nil
}
