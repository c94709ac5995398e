package header

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// enumName is what a Type calls an enum: its typedef, else "enum" and its tag, else the place of
// its only use, else its first enumerator. An enum that is defined in the middle of a struct or a
// declaration is added on the way.
func (u *unit) enumName(e *cc.EnumSpecifier, place string) string {
	tag := e.Token2.SrcStr()
	if tag != "" {
		if typedef := u.names["enum "+tag]; typedef != "" {
			return typedef
		}
		u.enum(e, tag, false)
		return "enum " + tag
	}
	if typedef := u.anonymous[e]; typedef != "" {
		return typedef
	}
	name := place
	if name == "" || u.vendor[name] {
		name = "enum"
		if e.EnumeratorList != nil {
			name += "." + e.EnumeratorList.Enumerator.Token.SrcStr()
		}
	}
	u.enum(e, name, false)
	return name
}

// enum adds a definition; a mere mention is nothing new.
func (u *unit) enum(e *cc.EnumSpecifier, name string, dep bool) {
	if e.Case != cc.EnumSpecifierDef {
		return
	}
	name = strings.TrimPrefix(name, "enum ")
	if u.enums[name] != nil {
		return
	}
	tag := e.Token2.SrcStr()
	en := &model.Enum{Name: name, Tag: tag, Bare: u.anonymous[e] == "" && u.names["enum "+tag] == ""}
	en.Span = u.span(e)
	at := e.Token.Position()
	en.Group = u.docsOf(e.Token).group(at.Line)
	if dep {
		en.Deprecated = deprecated
	}
	over, negative := false, false // over 63 bits
	for l := e.EnumeratorList; l != nil; l = l.EnumeratorList {
		if l.Enumerator == nil {
			continue
		}
		id := l.Enumerator.Token.SrcStr()
		if u.enumerators[id] == name {
			continue
		}
		v := model.EnumValue{Name: id}
		switch x := l.Enumerator.Value().(type) {
		case cc.Int64Value:
			v.Value = int64(x)
			negative = negative || v.Value < 0
		case cc.UInt64Value:
			v.Value = int64(x)
			over = over || v.Value < 0
		default:
			u.failf(l.Enumerator, "the enumerator %s has no value", v.Name)
		}
		en.Values = append(en.Values, v)
		u.enumerators[id] = name
	}
	if over && negative {
		u.failf(e, "the values of the enum %s do not fit 64 bits", name)
	}
	en.Fit(over)
	u.enums[name] = en
	u.alien[name] = u.files.isForeign(e.Position().Filename)
}
