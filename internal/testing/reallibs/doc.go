// Package reallibs finds the vendor libraries that "make reallibs" fetched, and runs programs with
// one of them.
//
// There are several releases of a library, and some want a newer C library than the
// machine's. So each is opened in a process of its own: [Library.Command].
package reallibs
