// Package draft writes first versions of an API's files in specs/: what a header shows is filled
// in, guesses are marked as such, and what a person has to write is listed by name.
package draft
