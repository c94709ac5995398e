package proof

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// Source reads the generated files of a package and looks for what no call shows: a garbage
// collector that ran at the wrong time would. What C gets the address of must be kept alive until C
// has returned, and result slots are read before they are given back. The names of Go parameters
// must be those of their C parameters, and the release that a symbol's entry names the spec's. A
// callback that panicked must not report success.
func Source(api *API, s *Spec, dir string) (*Report, error) {
	r := new(Report)
	files, err := filepath.Glob(filepath.Join(dir, "z*.go"))
	if err != nil {
		return nil, err
	}
	source := source{r: r, functions: map[string]*ast.FuncDecl{}, procs: map[string]string{},
		errors: map[string]bool{}, callbacks: map[string]string{}}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					source.functions[d.Name.Name] = d
				} else if t, ok := d.Recv.List[0].Type.(*ast.Ident); ok && d.Name.Name == "Error" {
					source.errors[t.Name] = true
				}
			case *ast.GenDecl:
				source.addProcs(d)
			}
		}
	}
	since := map[string]string{}
	for _, f := range s.Functions {
		since[f.Name] = f.Since
	}
	for i := range api.Functions {
		f := &api.Functions[i]
		d := source.functions[goName(f.Go)]
		if d == nil || d.Body == nil {
			r.bad(f.C, "no generated file of %s has the Go function %s", dir, goName(f.Go))
			continue
		}
		r.Functions++
		source.kept(f, d)
		source.names(f, d)
		if f.Since != since[f.C] {
			r.bad(f.C, "the table says since %s, the spec %s", f.Since, since[f.C])
		}
	}
	source.releases(since)
	source.panics()
	for _, t := range api.Types {
		if t.New != nil {
			source.aligns(t)
		}
	}
	return r, nil
}

// goName is the name of a function of a package.
func goName(f any) string {
	full := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return full[strings.LastIndex(full, ".")+1:]
}

type source struct {
	r         *Report
	functions map[string]*ast.FuncDecl
	procs     map[string]string // symbol -> the release that its entry names
	errors    map[string]bool   // types that are errors
	callbacks map[string]string // types of functions with one result -> that
}

// aligns reads the constructor of a type that Go does not align as C does. Calls of it say little:
// the allocator may align the memory by chance.
func (s *source) aligns(t Type) {
	d, found := s.functions["New"+t.Go.Name()], 0
	if d == nil || d.Body == nil {
		s.r.bad(t.C, "no generated file has its constructor")
		return
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.BinaryExpr); ok && (x.Op == token.AND || x.Op == token.ADD) {
			if n, ok := x.Y.(*ast.BasicLit); ok && n.Value == strconv.Itoa(int(t.Align)-1) {
				found++
			}
		}
		return true
	})
	if found != 2 { // so much more memory, and the mask of the address
		s.r.bad(t.C, "its constructor does not align it to %d", t.Align)
	}
}

// panics wants an error code for C from a callback that panicked, where it returns a result code:
// what the result is before the Go function runs.
func (s *source) panics() {
	for name, d := range s.functions {
		if !strings.HasPrefix(name, "enter") || d.Body == nil {
			continue
		}
		of, failure := "", false
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				for _, q := range n.Type.Params.List {
					if t, ok := q.Type.(*ast.Ident); ok && s.errors[s.callbacks[t.Name]] {
						of = t.Name
					}
				}
			case *ast.AssignStmt:
				if call, ok := n.Rhs[0].(*ast.CallExpr); ok && n.Tok == token.DEFINE && len(call.Args) == 1 {
					code, ok := call.Args[0].(*ast.Ident)
					failure = failure || ok && strings.HasPrefix(code.Name, "Err")
				}
			}
			return true
		})
		if of != "" && !failure {
			s.r.bad(of, "C gets no error code from a callback that panicked")
		}
	}
}

// addProcs collects the symbols' entries.
func (s *source) addProcs(d *ast.GenDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok {
			if f, ok := t.Type.(*ast.FuncType); ok && f.Results.NumFields() == 1 {
				if result, ok := f.Results.List[0].Type.(*ast.Ident); ok {
					s.callbacks[t.Name.Name] = result.Name
				}
			}
		}
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := map[string]string{}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			value, _ := kv.Value.(*ast.BasicLit)
			if key != nil && value != nil && value.Kind == token.STRING {
				fields[key.Name], _ = strconv.Unquote(value.Value)
			}
		}
		if symbol := fields["Symbol"]; symbol != "" {
			s.procs[symbol] = fields["Since"]
		}
		return true
	})
}

// releases compares the entries' releases with the spec. "after 12.6, by 12.8" and "1.0 or earlier"
// are for those that no header dates exactly, and behind "7.15 (Toy 10.0)" is the name of a release
// that counts otherwise.
func (s *source) releases(since map[string]string) {
	for symbol, text := range s.procs {
		want, known := since[symbol]
		version, _, _ := strings.Cut(text, " (")
		words := strings.Fields(version)
		switch {
		case !known:
			s.r.bad(symbol, "the spec has no such function")
		case len(words) == 0:
			s.r.bad(symbol, "its entry names no release")
		case words[0] != want && words[len(words)-1] != want:
			s.r.bad(symbol, "its entry says since %q, the spec %s", text, want)
		}
	}
}

// kept checks one function's memory.
func (s *source) kept(f *Function, d *ast.FuncDecl) {
	taken := map[string]token.Pos{} // the variables whose memory C gets
	kept := map[string]token.Pos{}  // the last KeepAlive
	var called, freed token.Pos
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on, _ := sel.X.(*ast.Ident)
		switch {
		case on == nil:
		case on.Name == "ccall" && sel.Sel.Name == "Ptr", sel.Sel.Name == "Struct":
			if v := variable(call.Args[0]); v != "" && (sel.Sel.Name == "Ptr" || s.pointers(f, d, v)) {
				taken[v] = call.Pos()
			}
		case on.Name == "call" && sel.Sel.Name == "Call":
			called = call.Pos()
		case on.Name == "runtime" && sel.Sel.Name == "KeepAlive":
			kept[variable(call.Args[0])] = call.Pos()
		case on.Name == "out" && sel.Sel.Name == "Free":
			freed = call.Pos()
		case on.Name == "out" && sel.Sel.Name == "At" && freed != token.NoPos:
			s.r.bad(f.C, "a result is read from a slot that was given back")
		}
		return true
	})
	if called == token.NoPos {
		s.r.bad(f.C, "%s has no call", d.Name.Name)
	}
	for v := range taken {
		if at, ok := kept[v]; !ok || at < called {
			s.r.bad(f.C, "%s: C gets the address of %s, which nothing keeps alive until C has returned",
				d.Name.Name, v)
			continue
		}
		s.r.Kept++
	}
}

// pointers reports whether a struct argument holds pointers.
func (s *source) pointers(f *Function, d *ast.FuncDecl, name string) bool {
	i := 0
	for _, list := range d.Type.Params.List {
		for _, n := range list.Names {
			if n.Name == name {
				return hasPointers(reflect.TypeOf(f.Go).In(i))
			}
			i++
		}
	}
	return false
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.String, reflect.Slice, reflect.Func:
		return true
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// variable is the variable that an expression takes the address or the pointer of.
func variable(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.UnaryExpr:
		return variable(e.X)
	case *ast.ParenExpr:
		return variable(e.X)
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return variable(e.Args[0])
		}
	}
	return ""
}

// names looks for a Go parameter that has the name of another C parameter.
func (s *source) names(f *Function, d *ast.FuncDecl) {
	args, results := listed(d.Type.Params), listed(d.Type.Results)
	for i, p := range f.Params {
		name := ""
		switch {
		case p.Arg >= 0 && p.Arg < len(args):
			name = args[p.Arg]
		case p.Out >= 0 && p.Out < len(results):
			name = results[p.Out]
		}
		if name == "" || like(name, p.C) {
			continue
		}
		for j, q := range f.Params {
			if j != i && fold(name) == fold(q.C) {
				s.r.bad(f.C+"."+p.C, "the Go function calls it %s, which is another parameter", name)
			}
		}
	}
}

// like reports whether a Go name may come from a C name: prefixes and marks of results are dropped.
func like(name, c string) bool {
	a, b := fold(name), fold(c)
	return strings.HasSuffix(b, a) || strings.HasPrefix(b, a) || strings.HasPrefix(a, b)
}

func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// listed are the names of a list of parameters; "" for those without.
func listed(l *ast.FieldList) []string {
	var out []string
	if l == nil {
		return nil
	}
	for _, f := range l.List {
		if len(f.Names) == 0 {
			out = append(out, "")
		}
		for _, n := range f.Names {
			out = append(out, n.Name)
		}
	}
	return out
}
