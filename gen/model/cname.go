package model

// CName is what C programs call the enum: its typedef, or "enum tag" where there is none. It is
// empty if the enum is anonymous.
func (e *Enum) CName() string {
	switch {
	case !e.Bare:
		return e.Name
	case e.Tag != "":
		return "enum " + e.Tag
	}
	return ""
}

// CName is what C programs call the struct or union: its typedef, or "struct tag" where there is
// none. It is empty for an inner one without a tag.
func (s *Struct) CName() string {
	switch {
	case s.Name != "" && !s.Bare:
		return s.Name
	case s.Tag == "":
		return ""
	case s.Union:
		return "union " + s.Tag
	}
	return "struct " + s.Tag
}
