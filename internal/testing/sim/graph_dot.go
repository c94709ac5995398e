package sim

import (
	"fmt"
	"os"
	"strings"
)

var nodeNames = map[nodeType]string{
	kernelNodeType: "KERNEL", memcpyNodeType: "MEMCPY", memsetNodeType: "MEMSET",
	hostNodeType: "HOST", childNodeType: "GRAPH", emptyNodeType: "EMPTY",
	waitNodeType: "EVENT_WAIT", recordNodeType: "EVENT_RECORD", allocNodeType: "MEM_ALLOC",
	freeNodeType: "MEM_FREE", conditionalNodeType: "CONDITIONAL",
}

// dot returns a graph in the language of Graphviz. The caller holds captureMu.
func (g *graph) dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph dot {\n")
	g.dotNodes(&b, "graph_1")
	fmt.Fprintf(&b, "}\n")
	return b.String()
}

func (g *graph) dotNodes(b *strings.Builder, name string) {
	fmt.Fprintf(b, "subgraph cluster_%s {\nlabel=\"%s\"\n", name, name)
	for _, n := range g.nodes {
		fmt.Fprintf(b, "\"%s_node_%d\"[label=\"%d\\n%s\"];\n", name, n.local, n.local, nodeNames[n.what])
	}
	for _, n := range g.nodes {
		for _, d := range n.after {
			fmt.Fprintf(b, "\"%s_node_%d\" -> \"%s_node_%d\";\n", name, d.local, name, n.local)
		}
		for i, part := range n.inner() {
			part.dotNodes(b, fmt.Sprintf("%s_node_%d_%d", name, n.local, i+1))
		}
	}
	fmt.Fprintf(b, "}\n")
}

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }
