// Package images makes GPU images for tests: small files of every kind that have the kernels and
// parameters they are asked to have, and no code. They are as compilers make them as far as package
// image reads them; no GPU runs them.
package images
