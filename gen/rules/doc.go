// Package rules holds what no header says about an API: directions of pointers, texts, flag types,
// lifetimes of callbacks, exceptions to the naming scheme. It is data in specs/*.toml, loaded and
// checked against the model here; each exception carries its reason. A heuristic decides what no
// rule covers, so that a new header version still produces complete bindings.
package rules
