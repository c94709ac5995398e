// Package reallibs tests the compilers of package compute with the vendors' libraries, which need
// no GPU. "make reallibs" fetches them; each release runs in a process of its own.
package reallibs
