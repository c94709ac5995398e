package rules

import (
	"regexp"
	"slices"
)

// Library says how a program finds the API's library, and what messages call it.
type Library struct {
	// The Go variable of internal/lib.
	Name string `toml:"name"`
	// What messages call the library: "Toy driver library".
	Title string `toml:"title"`
	// The environment variable whose paths replace the search.
	Env string `toml:"env"`
	// How to install the library, and how to update one that is too old: "install the Toy driver".
	Remedy string `toml:"remedy"`
	Update string `toml:"update"`
	// Sentences of Load's doc comment that say where the library is searched for.
	Search string `toml:"search"`
	// A function whose name the doc comments of Has and Since take as an example; "" for none.
	Example string `toml:"example"`
	// A symbol that the library must have; the version's function if not given.
	Probe string `toml:"probe"`
	// Environment variables by which the library sees no device, for tests: "TOY_DEVICES=none".
	NoDevices []string `toml:"nodevices"`

	Version LibraryVersion `toml:"version"`
	Linux   Search         `toml:"linux"`
	Windows Search         `toml:"windows"`
}

// Search is the way through one platform's folders.
type Search struct {
	// The library's file names, the first choice first. A * matches as in a shell, the newest first:
	// by the numbers in the names.
	Names []string `toml:"names"`
	// The folders, the first choice first; each is tried with all names. "" leaves the search to the
	// dynamic loader, and a * matches as in a shell, the newest first. ${NAME} is an environment
	// variable; without it the folder is left out. {triplet} is Debian's name of the platform,
	// {system32} the system folder of Windows, and {wheels} stands for the folders of Python packages
	// of the active virtual environment.
	Folders []string `toml:"folders"`
	// Libraries without which this one crashes: of each group, by file names in the order of choice,
	// one must open first.
	Needs [][]string `toml:"needs"`
}

// LibraryVersion says how a library tells its version.
type LibraryVersion struct {
	// The C function, which returns 0 for success; "" if there is none.
	Function string `toml:"function"`
	// What it writes: "number" for an int that Format splits, "numbers" for an int parameter for each
	// part, "struct" for a struct that begins with an unsigned 32-bit member for each part, "text" for
	// a string, whose length is the second argument.
	Reads string `toml:"reads"`
	// The number's parts, as in the header's version.
	Format []int `toml:"format"`
	// How many parts "numbers" and "struct" write.
	Parts int `toml:"parts"`
	// What messages put in front of it; the vendor if not given.
	Label string `toml:"label"`
	// The library counts differently from its headers, so that its version does not say which
	// functions it should have.
	Differs bool `toml:"differs"`
}

var goName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// library checks the table.
func (c *checker) library() {
	s, l := c.r.sources["toml"], &c.r.Binding.Library
	if !goName.MatchString(l.Name) {
		c.bad(s.key("library", "name", "name must be that of an exported Go variable"))
	}
	for _, f := range []struct{ key, value string }{{"title", l.Title}, {"env", l.Env},
		{"remedy", l.Remedy}, {"update", l.Update}} {
		if f.value == "" {
			c.bad(s.key("library", f.key, "[library] lacks %s", f.key))
		}
	}
	for _, f := range []struct{ table, key, name string }{{"library", "probe", l.Probe},
		{"library", "example", l.Example}, {"library.version", "function", l.Version.Function}} {
		if f.name != "" {
			c.function(s.key(f.table, f.key, ""), f.name)
		}
	}
	if len(l.Linux.Names)+len(l.Windows.Names) == 0 {
		c.bad(s.key("library", "linux", "linux and windows name no file"))
	}
	for key, p := range map[string]Search{"linux": l.Linux, "windows": l.Windows} {
		if len(p.Folders) > 0 && len(p.Names) == 0 {
			c.bad(s.key("library."+key, "names", "[library.%s] lacks names", key))
		}
	}
	v := &l.Version
	switch {
	case v.Function == "":
		if l.Probe == "" {
			c.bad(s.key("library", "probe", "without a version function a probe is needed"))
		}
	case v.Reads == "number" && len(v.Format) == 0:
		c.bad(s.key("library.version", "reads", `"number" needs format`))
	case (v.Reads == "numbers" || v.Reads == "struct") && (v.Parts < 1 || v.Parts > 8):
		c.bad(s.key("library.version", "reads", "%q needs parts, 1 to 8", v.Reads))
	case !slices.Contains([]string{"number", "numbers", "struct", "text"}, v.Reads):
		c.bad(s.key("library.version", "reads", "reads %q is none of number, numbers, struct, text",
			v.Reads))
	}
}
