// Package model holds what the vendors' headers declare, as data: every function, type, constant
// and macro of all versions of an API, merged into one union. Package header fills it; packages
// rules and emit read it.
//
// A model holds only facts: names, numbers, types, offsets and versions, and never text from a
// header.
package model

// Model is the merged model of all versions of one API.
type Model struct {
	API      string    `json:"api"`               // its name in specs/
	Versions []Version `json:"versions"`          // oldest first; never empty
	Targets  []Target  `json:"targets,omitempty"` // the targets that layouts were taken for

	Functions []Function `json:"functions,omitempty"` // sorted by name
	Enums     []Enum     `json:"enums,omitempty"`     // sorted by name
	Structs   []Struct   `json:"structs,omitempty"`   // structs and unions, sorted by name
	// handles, callbacks and plain aliases, sorted by name
	Typedefs []Typedef `json:"typedefs,omitempty"`
	Consts   []Const   `json:"consts,omitempty"` // constant macros, sorted by name
	// macro and wrapper names that stand for another symbol, sorted by name
	Aliases []Alias `json:"aliases,omitempty"`
}

// Version is one header release of the API.
type Version struct {
	Name string `json:"name,omitempty"` // as users say it: "12.4", "7.2.4"
	// as the API encodes it: TOY_VERSION 12040
	Number int `json:"number,omitempty"`
	// Supplement names the source of what this release declares beyond the one before it, where its
	// own header is not available.
	Supplement string `json:"supplement,omitempty"`
	// Lacks are the optional headers that this copy of the release does not have. What they declare
	// may have been there all the same.
	Lacks []string `json:"lacks,omitempty"`
}

// Target is a platform that layouts are recorded for, in Go's terms.
type Target struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// Span describes which versions have an entity. Since is the first version that has it; where the
// vendor's own tables name an introducing version older than the oldest header that was read
// (toyTypedefs.h: PFN_toyX_v3020), Since is that one.
type Span struct {
	Since string `json:"since,omitempty"` // "3.2", "12.8"; never empty
	// first version without it; empty while the newest header has it
	Removed string `json:"removed,omitempty"`
	// first version that marks it deprecated; empty if none does
	Deprecated string `json:"deprecated,omitempty"`
	// WasDeprecated are stretches of versions that mark it deprecated, which later ones took back
	// (rare).
	WasDeprecated []Range `json:"wasDeprecated,omitempty"`
	// Absent are stretches between Since and Removed in which headers lack the entity: dropped and
	// brought back later (rare).
	Absent []Range `json:"absent,omitempty"`
	// Exact tells that a vendor's table names Since, where that is the oldest header that was read:
	// without a table the entity may be older.
	Exact bool `json:"exact,omitempty"`
	// Header is the optional header that declares the entity in the newest version that has it; empty
	// for what the main header declares.
	Header string `json:"header,omitempty"`
}

// Range is the versions from From to To, both included.
type Range struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Function is one exported symbol with its C prototype.
type Function struct {
	// the exported symbol, after the header's macros: cuCtxCreate_v2
	Name string `json:"name,omitempty"`
	// the API group it is documented in: "TOY_EVENT", "Event"; empty if the header names none
	Group string `json:"group,omitempty"`
	Span
	Ret    Type    `json:"ret,omitempty"`
	Params []Param `json:"params,omitempty"`
	// Internal is the first version whose public header no longer declares the symbol while the
	// header's internal view still does: the library keeps it for old programs. Empty for all others.
	Internal string `json:"internal,omitempty"`
	// Variants are prototypes that differ from Ret and Params in other versions, oldest first. Ret and
	// Params are those of the newest version that has the symbol.
	Variants []Prototype `json:"variants,omitempty"`
}

// Prototype is a function's result and parameters as the versions from From to To (both included)
// declare them.
type Prototype struct {
	From   string  `json:"from,omitempty"`
	To     string  `json:"to,omitempty"`
	Ret    Type    `json:"ret,omitempty"`
	Params []Param `json:"params,omitempty"`
}

// Param is one parameter of a function or a callback type.
type Param struct {
	Name string `json:"name,omitempty"` // as the header spells it; "argN" where the header gives none
	Type Type   `json:"type,omitempty"`
	// A variadic function's last parameter has Name and Type "...". Dir is the direction that the
	// header itself documents: "in", "out", "inout" or ""; some vendors say it for most.
	Dir string `json:"dir,omitempty"`
	// Was are the names that older headers give the parameter in the same prototype, oldest first.
	Was []Former `json:"was,omitempty"`
}

// Former is a name that a parameter had up to a version.
type Former struct {
	Name string `json:"name"`
	To   string `json:"to"`
}

// Enum is a C enumeration. Values are the union over the versions.
type Enum struct {
	// the typedef name if there is one, else the tag: CUevent_flags
	Name string `json:"name,omitempty"`
	// the enum tag, as in "enum CUevent_flags_enum"; empty if anonymous
	Tag  string `json:"tag,omitempty"`
	Bare bool   `json:"bare,omitempty"` // there is no typedef: C spells it "enum tag", and so do Types
	Span
	Group string `json:"group,omitempty"`
	// a value is negative, so the C type is int; else unsigned int
	Signed bool `json:"signed,omitempty"`
	// a value does not fit 32 bits, so C compilers but Microsoft's make the type 64 bits wide; an
	// unsigned value over 63 bits is kept as the negative number with the same bits
	Wide   bool        `json:"wide,omitempty"`
	Values []EnumValue `json:"values,omitempty"`
}

// EnumValue is one enumerator. Two may have the same number; the header's order is kept, later
// versions' additions follow in place.
type EnumValue struct {
	Name  string `json:"name"`
	Value int64  `json:"value"` // an unsigned 32-bit value is kept positive
	Span
	// Variants are numbers that the name had in other versions, oldest first (rare; the newest is
	// Value).
	Variants []ValueVariant `json:"variants,omitempty"`
}

// ValueVariant is the number a name had from version From to To (both included).
type ValueVariant struct {
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Value int64  `json:"value"`
}

// Struct is a complete struct or union.
type Struct struct {
	// the typedef name if there is one, else the tag; for a nested anonymous one see Field.Type
	Name string `json:"name,omitempty"`
	Tag  string `json:"tag,omitempty"`
	// there is no typedef: C spells it "struct tag", and so do Types
	Bare  bool `json:"bare,omitempty"`
	Union bool `json:"union,omitempty"`
	Span
	// one per group of targets that agree; the first is the one of linux/amd64
	Layouts []Layout `json:"layouts,omitempty"`
	Fields  []Field  `json:"fields,omitempty"`
	// Variants are the layouts of older versions that differ, oldest first.
	Variants []StructVariant `json:"variants,omitempty"`
}

// StructVariant is a struct as the versions from From to To (both included) declare it.
type StructVariant struct {
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Union   bool     `json:"union,omitempty"`
	Layouts []Layout `json:"layouts,omitempty"`
	Fields  []Field  `json:"fields,omitempty"`
}

// Layout is the size, the alignment and the offset of each field, all in bytes, for the targets
// named.
type Layout struct {
	Targets []string `json:"targets,omitempty"` // "linux/amd64"; all targets of the model that agree
	Size    int      `json:"size"`
	Align   int      `json:"align"`
	// one per field, in Fields' order; bit-fields: the offset of the storage unit
	Offsets []int `json:"offsets,omitempty"`
}

// Field is one member of a struct or union. A nested anonymous struct or union without a name of
// its own has Name "" and an Inner.
type Field struct {
	Name string `json:"name,omitempty"`
	Type Type   `json:"type,omitempty"`
	// for a member whose struct or union type is declared in place and has no typedef name; Type is
	// then its kind
	Inner *Struct `json:"inner,omitempty"`
	// Bits and BitOffset are set for a bit-field only: its width, and its first bit counted from the
	// low bit of the storage unit.
	Bits int `json:"bits,omitempty"`
	// the alignment that an attribute of the member asks for; 0 for none
	Align     int `json:"align,omitempty"`
	BitOffset int `json:"bitOffset,omitempty"`
	Span          // within the struct; Since is empty where it is the struct's own
}

// Typedef is a name for a type that is neither a struct, a union nor an enum of the API.
type Typedef struct {
	Name string `json:"name,omitempty"`
	Span
	// "handle" (pointer to an incomplete struct), "callback" (pointer to function) or "alias"
	Kind string `json:"kind,omitempty"`
	// for an alias: what it stands for; for a handle: the pointer, "struct CUevent_st *"
	Type     Type             `json:"type,omitempty"`
	Ret      Type             `json:"ret,omitempty"`    // callbacks
	Params   []Param          `json:"params,omitempty"` // callbacks
	Variants []TypedefVariant `json:"variants,omitempty"`
}

// TypedefVariant is what an alias or callback was in other versions.
type TypedefVariant struct {
	From   string  `json:"from,omitempty"`
	To     string  `json:"to,omitempty"`
	Kind   string  `json:"kind,omitempty"`
	Type   Type    `json:"type,omitempty"`
	Ret    Type    `json:"ret,omitempty"`
	Params []Param `json:"params,omitempty"`
}

// Const is an object-like macro with a constant value.
type Const struct {
	Name string `json:"name,omitempty"`
	Span
	// "int", "uint", "float", "string" or "pointer" (a cast such as (CUstream)0x1)
	Kind string `json:"kind,omitempty"`
	// decimal, or 0x… if the header writes it so; the text itself for a string
	Value string `json:"value"`
	// the C type where it says more than Kind: "CUstream" for ((CUstream)0x1); else ""
	Type     Type           `json:"type,omitempty"`
	Variants []ConstVariant `json:"variants,omitempty"`
}

// ConstVariant is the value a macro had in other versions.
type ConstVariant struct {
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Kind  string `json:"kind,omitempty"`
	Value string `json:"value"`
	Type  Type   `json:"type,omitempty"`
}

// Alias names the symbol that a source spelling means, version by version: cuCtxCreate is
// cuCtxCreate_v2 up to 12.9 and cuCtxCreate_v4 from 13.0. A static inline wrapper that only
// forwards counts as an alias too.
type Alias struct {
	Name  string      `json:"name,omitempty"`
	Kind  string      `json:"kind,omitempty"` // "function" or "type"
	Spans []AliasSpan `json:"spans,omitempty"`
}

// AliasSpan is one stretch of versions (both included) in which an alias stood for Target.
type AliasSpan struct {
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Target string `json:"target,omitempty"`
}
