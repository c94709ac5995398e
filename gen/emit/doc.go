// Package emit writes the Go bindings of an API from its model and its rules: plan.go and its
// neighbours decide names, types and shapes; one file per kind of output renders them with
// jennifer. The same specs make the same bytes.
package emit
