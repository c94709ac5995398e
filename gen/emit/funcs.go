package emit

import (
	"sort"

	"github.com/dave/jennifer/jen"
)

// renderFunctions writes z<group>.go: functions in the order of their names, and their procs.
func (p *renderer) renderFunctions(parts map[string]*jen.File) {
	groups := map[string][]*function{}
	for _, f := range p.funcs {
		groups[f.file] = append(groups[f.file], f)
	}
	for name, fs := range groups {
		sort.Slice(fs, func(i, j int) bool { return fs[i].goName < fs[j].goName })
		file := p.file()
		p.renderProcs(file, fs)
		for _, f := range fs {
			p.renderFunction(file, f)
		}
		parts["z"+name+".go"] = file
	}
}

func (p *renderer) renderProcs(file *jen.File, fs []*function) {
	seen := map[string]bool{}
	file.Var().DefsFunc(func(g *jen.Group) {
		for _, f := range fs {
			if seen[f.proc] {
				continue
			}
			seen[f.proc] = true
			g.Id(f.proc).Op("=").Qual(dlPath, "Proc").Values(
				jen.Id("Lib").Op(":").Op("&").Add(p.library()),
				jen.Id("Symbol").Op(":").Lit(f.Name), jen.Id("Since").Op(":").Lit(p.began(f.Span)),
				p.layoutField(f))
		}
	})
}

func (f *function) results() []*param {
	var rs []*param
	for _, a := range f.params {
		if a.isResult() {
			rs = append(rs, a)
		}
	}
	return rs
}

func (f *function) args() []*param {
	var as []*param
	for _, a := range f.params {
		switch a.how {
		case byArg, byString, byClosure, byRef:
			as = append(as, a)
		}
	}
	return as
}

// value reports whether the C function's own result is a Go result.
func (p *calls) value(f *function) bool { return f.ret != p.result.typ && f.ret.kind != kVoid }

func (p *renderer) renderFunction(file *jen.File, f *function) {
	file.Line()
	p.functionDoc(f).to(file)
	results := f.results()
	named := len(results) > 1 || len(results) == 1 && p.value(f)
	var args, outs []typed
	for _, a := range f.args() {
		args = append(args, typed{a.name, a.goType()})
	}
	if p.value(f) {
		outs = append(outs, typed{"value", f.ret.code()})
	}
	for _, a := range results {
		outs = append(outs, typed{a.name, a.typ.code()})
	}
	fn := file.Func().Id(f.goName).Params(grouped(args)...)
	switch {
	case len(outs) == 0:
		fn.Error()
	case named:
		fn.Params(grouped(append(outs, typed{"err", jen.Error()}))...)
	default:
		fn.Params(outs[0].typ, jen.Error())
	}
	fn.BlockFunc(func(g *jen.Group) { (&body{p: p, f: f, g: g}).write() })
}

// typed is a name and its type.
type typed struct {
	name string
	typ  *jen.Statement
}

// grouped declares names; neighbours of one type share it.
func grouped(ts []typed) []jen.Code {
	var out []jen.Code
	for i := 0; i < len(ts); {
		j := i
		var names []jen.Code
		for j < len(ts) && ts[j].typ.GoString() == ts[i].typ.GoString() {
			names = append(names, jen.Id(ts[j].name))
			j++
		}
		out = append(out, jen.List(names...).Add(ts[i].typ))
		i = j
	}
	return out
}

func (a *param) goType() *jen.Statement {
	switch a.how {
	case byClosure:
		return jen.Id(a.cb.goName)
	case byRef:
		return jen.Op("*").Id(a.cb.ref)
	}
	return a.typ.code()
}
