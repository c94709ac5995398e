// Package dl finds and opens a vendor's library and resolves its symbols, each at its first use.
//
// Nothing happens at import. The first call of a [Proc] opens the library; each symbol is looked up
// once, found or not. After a failed search, only [Library.Load] searches again. An open library is
// never closed: drivers keep their own threads and callbacks.
package dl
