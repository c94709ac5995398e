// Package cache keeps compiled kernels in files, so that a program compiles each of them once on a
// machine.
//
// An entry is a file of its own, named after the digest of all that the image depends on: the
// source, headers, options, names, target and the files of the compiler. It is written under
// another name and renamed, so no process ever sees a part of one. It has a digest of what is in
// it; an entry that is damaged or of another kind is removed and compiled again. The folder's size
// is limited: entries that were not used for longest are removed first.
//
// Nothing of this ever fails a compilation. A folder that cannot be read or written means that
// sources are compiled each time; [Cache.Counters] and [Cache.Reason] tell.
//
// A folder or an entry is not used if another user than this one or root owns it or may write to
// it, and a process with more rights than its user has no folder of its own. Whoever writes an
// entry chooses the code that runs.
//
// Results are not kept if they depend on more than the request: see compiler.CUDACacheable.
package cache
