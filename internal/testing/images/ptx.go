package images

import (
	"fmt"
	"strings"
)

// PTX returns a text of a version ("8.4") for a target ("sm_90"), with the NUL that drivers want at
// its end. Variables are lines such as ".visible .global .align 4 .b8 table[16];".
func PTX(version, target string, kernels []Kernel, variables ...string) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, ".version %s\n.target %s\n.address_size 64\n", version, target)
	for _, v := range variables {
		s.WriteString(v + "\n")
	}
	for _, k := range kernels {
		fmt.Fprintf(&s, "\n.visible .entry %s(", k.Name)
		for i, p := range k.Params {
			if i > 0 {
				s.WriteByte(',')
			}
			fmt.Fprintf(&s, "\n\t.param %s", p.declare(fmt.Sprintf("%s_param_%d", k.Name, i)))
		}
		s.WriteString("\n)\n")
		if k.MaxThreads > 0 {
			fmt.Fprintf(&s, ".maxntid %d, 1, 1\n", k.MaxThreads)
		}
		s.WriteString("{\n\tret;\n}\n")
	}
	return append([]byte(s.String()), 0)
}

func (p Param) declare(name string) string {
	if p.Size == p.Align && (p.Size == 1 || p.Size == 2 || p.Size == 4 || p.Size == 8) {
		return fmt.Sprintf(".u%d %s", 8*p.Size, name)
	}
	return fmt.Sprintf(".align %d .b8 %s[%d]", p.Align, name, p.Size)
}
