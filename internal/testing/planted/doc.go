// Package planted proves the proofs: it plants mistakes, one at a time, into specs, facts, rules,
// the generator, the code that it writes and the call path, and has the tests find each. Its table
// says where a mistake is, which test must find it and what that test must say.
//
// The mistakes live in overlays and in copies below a temporary folder. Nothing in the repository
// is changed.
package planted
