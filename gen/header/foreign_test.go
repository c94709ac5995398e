package header

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// TestForeign reads a header that includes one of another API from the same folder: it gets the
// types that it uses, and no function, constant or type more.
func TestForeign(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"mini.h": `
#include "dep/dep.h"
#define MINI_VERSION 10
#define MINI_SIZE 4
typedef enum { MINI_OK } miniResult;
typedef struct { depPair pair; int mode; } miniThing;
miniResult miniUse(const miniThing *t, depStream stream, depMode mode);
`, "dep/dep.h": `
#define MINI_OF_DEP 5
typedef int depKind2;
typedef struct depInner_st { char c; } depInner_t;
typedef struct depStream_st *depStream;
typedef struct depOther_st *depOther;
typedef enum depMode_en { DEP_A, DEP_B } depMode;
typedef enum depKind_en { DEP_C } depKind;
typedef struct { int a; depInner_t *next; } depPair;
typedef struct { void (*notify)(depKind2 k); } depUnused;
int depRun(depOther o, depKind k);
static inline int depInline(depOther o) { return depRun(o, DEP_C); }
`}
	h := rules.Header{Files: []string{"mini.h"}, Prefixes: []string{"MINI_"},
		Version: rules.HeaderVersion{Macro: "MINI_VERSION", Format: []int{10, 1}}}
	read := func(foreign ...string) map[string]bool {
		h.Foreign = foreign
		fs := &files{dir: "vendor", optional: map[string]string{}, cache: map[string][]byte{},
			foreign: h.Foreign}
		for name, text := range texts {
			fs.cache[path.Join(fs.dir, name)] = []byte(text)
		}
		p := &parser{api: api{"mini", h}, opts: Options{API: "mini", Dir: fs.dir, Targets: Targets},
			files: fs}
		r, err := p.parse()
		require.NoError(t, err)
		names := map[string]bool{}
		for _, f := range r.Functions {
			names[f.Name] = true
		}
		for _, s := range r.Structs {
			names[s.Name] = true
		}
		for _, e := range r.Enums {
			names[e.Name] = true
		}
		for _, d := range r.Typedefs {
			names[d.Name] = true
		}
		for _, c := range r.Consts {
			names[c.Name] = true
		}
		return names
	}
	assert.Equal(t, map[string]bool{"miniUse": true, "miniThing": true, "miniResult": true,
		"MINI_SIZE": true, "depPair": true, "depInner_t": true, "depStream": true, "depMode": true},
		read("dep/*.h"))
	all := read()
	for _, name := range []string{"depRun", "depKind", "depOther", "depUnused", "MINI_OF_DEP"} {
		assert.True(t, all[name], "%s belongs to the API if no rule says otherwise", name)
	}
}
