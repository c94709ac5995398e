// Package emit generates the Go bindings of an API from its model and its rules. plan.go and the
// files that it calls decide names, types and shapes; one file per kind of output renders them with
// jennifer. The same specs produce the same bytes.
package emit
