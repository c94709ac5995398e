package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// inC are the functions that front.c implements.
var inC = map[string]bool{"cuGetProcAddress": true, "cuGetProcAddress_v2": true}

// table returns the header by which front.c knows what the library exports.
func table(p Profile, symbols []symbol) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#define VENDOR %q\n#define VERSION %q\n#define CORE %q\n", p.api, p.version,
		coreName)
	fmt.Fprintf(&b, "#define COUNT %d\n", len(symbols))
	for _, s := range symbols {
		if inC[s.Name] {
			fmt.Fprintf(&b, "#define HAS_%s\n", s.Name)
		}
		fmt.Fprintf(&b, "extern char %s[];\n", s.Name)
	}
	b.WriteString("static const struct symbol symbols[COUNT] = {\n")
	for _, s := range symbols {
		fmt.Fprintf(&b, "\t{%q, %q, %d, %d, %s},\n", s.Name, s.base(), s.found(), bit(s.text()),
			s.Name)
	}
	b.WriteString("};\n")
	return b.Bytes()
}

// number is a release as C programs write it: 12080.
func number(release string) int {
	major, rest, _ := strings.Cut(release, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return 1000*digits(major) + 10*digits(minor)
}

// digits is the value of a number in the specs, which are checked elsewhere.
func digits(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
