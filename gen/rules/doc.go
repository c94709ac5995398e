// Package rules holds what no header says about an API: directions of pointers, texts, flag types,
// lifetimes of callbacks, exceptions to the naming scheme. It is data in specs/*.toml, loaded and
// checked against the model here; each exception carries its reason. What no rule covers is decided
// by a heuristic, so that a header version never seen before still makes complete bindings.
package rules
