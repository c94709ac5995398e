// Package libs has the vendors' libraries: where each may be, and how it tells its version. All but
// this file is generated from specs/<api>.toml. A program links those that it uses.
package libs
