// Package dl finds and opens a vendor's library and resolves its symbols, each at its first use.
//
// Nothing happens at import. The first call of a [Proc] opens the library; each symbol is looked up
// once, hit or miss. A library that was not found is not looked for again until [Library.Load] asks
// for it. A library that is open is never closed: drivers keep threads and callbacks of their own.
package dl
