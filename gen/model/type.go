package model

// Type is a C type in one canonical spelling of an abstract declarator, so that specs read like C
// and diff well:
//
//	CUevent   unsigned int   const char *   const char **   void *const *   unsigned char[16]   CUresult
//
// Base types are spelled "char", "signed char", "unsigned char", "short", "unsigned short", "int",
// "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double",
// "size_t", "void", "_Bool", "intN_t" and "uintN_t" (typedef spellings of stdint.h and stddef.h are
// kept); "struct tag", "union tag" and "enum tag" where no typedef exists; every API typedef by its
// name. Qualifiers other than const are dropped, const is written left of the base and right of a
// star. A pointer to function that has no typedef is named after its place, "cuFoo.bar" or
// "struct.field", and is a callback Typedef of that name in the model.
type Type string

// Flexible reports whether a type is an array without a size, as the last member of a struct.
func (t Type) Flexible() bool {
	c, err := t.Parse()
	return err == nil && c.Kind == Array && c.Len == 0
}
