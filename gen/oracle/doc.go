// Package oracle writes the C text that proves the bindings: a library whose functions carry the
// exact prototypes of an API. Each notes what the C compiler received for every parameter, writes a
// pattern through every pointer it may, and returns the code it was told to. Tables tell the size,
// alignment, offset and value of every type, field and constant as the C compiler sees them.
//
// One text serves all releases of an API. Compiled as it is, it has every entity of the spec in its
// newest shape; with -DORACLE_VERSION=12040 those of one release in the shapes they had there. The
// declarations come from the spec, or with -DORACLE_HEADER='"toy.h"' from the vendor's own header,
// which then must agree with every definition and assertion.
package oracle
