package rules

// Rules holds everything about one API that is not in its model.
type Rules struct {
	API      string
	Binding  Binding
	Facts    Facts
	Docs     Docs
	Errors   map[string]ErrorText // by enumerator of the result type
	Lock     *Lock
	Warnings []Problem
	// Inherited are facts that functions without any have from other forms of them.
	Inherited []Guess

	sources map[string]*source // by file name without the API: "facts.toml"
}

// Binding is specs/<api>.toml: how the API becomes a Go package.
type Binding struct {
	About    `toml:"package"`
	Header   Header   `toml:"header"`
	Library  Library  `toml:"library"`
	Places   Places   `toml:"places"`
	Prefixes Prefixes `toml:"prefixes"`

	// Go names by C name, or by place for nested types: TOY_RESOURCE_DESC.res
	Names map[string]Override `toml:"names"`
	// Go types by typedef, function.param or struct.field
	GoTypes map[string]Override `toml:"gotype"`
	// locked names that change, by C name
	Changed map[string]Changed `toml:"changed"`
	// numbers that may grow, such as the count of an enum's values, and why
	Grows map[string]string `toml:"grows"`
	// structs that releases lay out differently
	Layouts Layouts `toml:"layouts"`
	// structs that have a constructor: struct -> member -> value
	Init map[string]map[string]Preset `toml:"init"`
	// functions that headers declare and libraries lack
	Missing map[string]Missing `toml:"missing"`
	// functions that are left out, and types that Go can't express in full, by C name: why
	Skip    map[string]string `toml:"skip"`
	Buffers map[string]int    `toml:"buffers"` // sizes of string results: function.param
	// texts that callbacks get: callback.param -> the parameter with its length
	Texts map[string]string `toml:"texts"`
	// Go types for macros that C passes in integers, by Go name
	MacroFlags map[string]MacroFlags `toml:"macroflags"`
	// functions with a run-once callback that also get a form with an explicit registration, and why
	Refs map[string]string `toml:"refs"`
	// hand-written Go functions that get a function's arguments before C does, and may refuse them
	Before map[string]string `toml:"before"`
	// families of second symbols, by what their names begin with
	Twins map[string]Twin `toml:"twins"`
	// Go files that several packages share but for some words
	Templates Templates `toml:"templates"`
}

// Templates are files of Go that packages of several APIs share. Each is a text/template,
// specs/templates/<file>.go.tmpl, and becomes z<file>.go.
type Templates struct {
	Files []string          `toml:"files"`
	Words map[string]string `toml:"words"` // for the templates, beside the name of the package

	texts map[string]string // by file
}

// Text returns the text of a template.
func (t *Templates) Text(file string) string { return t.texts[file] }

// Twin is a family of functions that do what others do: pX for X. Facts and texts that such a
// function lacks are those of the other.
type Twin struct {
	Go   string `toml:"go"`   // what the Go names begin with
	Says string `toml:"says"` // the text, with %s for the other function
	// why no library exports them; "" if libraries do
	Missing string `toml:"missing"`
}

// About is what there is to say about the package as a whole.
type About struct {
	Package string `toml:"name"`    // the Go package, and its folder
	Vendor  string `toml:"vendor"`  // the name in front of versions: "Toy"
	Title   string `toml:"title"`   // what documents call the API: "Toy driver API"
	Result  string `toml:"result"`  // the enum that functions return
	Success string `toml:"success"` // its enumerator for success
	// its enumerator for an unknown error: what C gets from a callback that panicked
	Unknown string `toml:"unknown"`
	// its enumerator for "not ready yet", which functions return as it is; "" for none
	Pending   string   `toml:"pending"`
	ErrPrefix []string `toml:"errprefix"` // enumerators of Result with these prefixes are named Err…
	Docs      string   `toml:"docs"`      // where the pages of the vendor's documentation are
	// The package's doc comment behind its first sentence, paragraphs between empty lines; "" if a
	// hand-written file has it.
	Doc      string   `toml:"about"`
	Reserved []string `toml:"reserved"` // Go names of the package's hand-written files
}

// Places are the sentences of doc comments about the current context or device.
type Places struct {
	Needs string `toml:"needs"` // the sentence for most functions
	None  string `toml:"none"`  // the sentence for those in the facts' list
}

// Prefixes are what a C name loses, longest match first.
type Prefixes struct {
	Functions []string `toml:"functions"`
	Types     []string `toml:"types"`
	Consts    []string `toml:"consts"`
	// what enumerators of an enum get in front of their Go names
	Enums map[string]string `toml:"enums"`
	// what constants whose names have none of the prefixes get in front of their Go names; "" for none
	Bare string `toml:"bare"`
}

// Missing names the releases whose libraries lack a function that headers declare. Without From and
// Until these are all releases.
type Missing struct {
	Reason string `toml:"reason"`
	From   string `toml:"from"`  // the first release that lacks it
	Until  string `toml:"until"` // the first later one that has it
}

// Always reports whether no library has it.
func (m Missing) Always() bool { return m.Reason != "" && m.From == "" && m.Until == "" }

// Override is an exception and its reason.
type Override struct {
	Go   string `toml:"go"`
	Why  string `toml:"why"`
	Says string `toml:"says"` // of a parameter's type: what the doc comment says about it
}

// Facts is specs/<api>.facts.toml: binding facts that no heuristic can know.
type Facts struct {
	Context   List                 `toml:"context"` // functions that need no current context
	Device    List                 `toml:"device"`  // functions that don't use the current device
	Retains   map[string]string    `toml:"retains"`
	Bitsets   Enums                `toml:"bitsets"`
	ParamType map[string]string    `toml:"paramtype"`
	Direction map[string]Direction `toml:"direction"`
	Callback  map[string]Callback  `toml:"callback"`
	Strings   Strings              `toml:"strings"`
}

// List is a table with one list of functions.
type List struct {
	None []string `toml:"none"`
}

// Enums is a table with one list of enumerations.
type Enums struct {
	Enums []string `toml:"enums"`
}

// Strings names const char * parameters that are no text.
type Strings struct {
	NoText []string `toml:"notext"`
}

// Callback describes how a callback's user data is passed and how long its registration lives.
type Callback struct {
	UserData string   `toml:"userdata"` // the parameter; "" if the C type has none
	Lifetime Lifetime `toml:"lifetime"` // once, call, object, or until:<function>
}

// Docs is specs/<api>.docs.toml: texts in our own words.
type Docs struct {
	Groups    map[string]Group  `toml:"groups"`
	Functions map[string]string `toml:"functions"`
	Types     map[string]string `toml:"types"`
}

// Group is one API group of the vendor's documentation.
type Group struct {
	Title string `toml:"title"`
	File  string `toml:"file"` // z<file>.go
	Page  string `toml:"page"` // the vendor's page, below the package's docs or with its host
}

// ErrorText is what a result code means and what the user can do about it.
type ErrorText struct {
	Says   string `toml:"says"`
	Remedy string `toml:"remedy"`
	Notes  string `toml:"notes"`
	Sticky bool   `toml:"sticky"` // the context or process is unusable afterwards
	Class  string `toml:"class"`  // one of Classes, instead of Sticky; "" means the first of them
}

// Class is what a failure concerns.
type Class struct {
	Name   string // in Go
	Says   string
	Key    string // in errors.toml
	Sticky bool
}

// Classes are those of an API whose errors.toml has classes.
var Classes = []Class{
	{"ClassCall", "the call only, which was refused or has failed", "", false},
	{"ClassPending", "nothing: the work is still running", "pending", false},
	{"ClassUnclear", "perhaps the device, perhaps the call only", "unclear", false},
	{"ClassEnded", "the process, which is ending", "ended", true},
	{"ClassLost", "the device, or the process's use of it", "lost", true},
	{"ClassKernel", "the same, after the failure of a kernel", "kernel", true},
}

// ClassOf returns the class with a key of errors.toml.
func ClassOf(key string) (c Class, ok bool) {
	for _, c := range Classes {
		if c.Key == key {
			return c, true
		}
	}
	return Class{}, false
}
