package header

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Three generations of a HIP header in small. In the first, the plain names are symbols. In the
// second, macros give the plain names to newer symbols. The third, which is to come, gives them
// away by inline functions, or to the generation that HIP_FORCE_API_VERSION asks for; HIP_ABI_IMPL
// is the runtime's own view, with the symbols that programs no longer see.
const (
	plainNames = `#define HIP_VERSION 50000001
typedef enum hipError_t { hipSuccess = 0 } hipError_t;
typedef struct hipProp_t { char name[8]; } hipProp_t;
hipError_t hipGetProp(hipProp_t *prop, int device);
hipError_t hipAdvise(const void *p, size_t n, int advice);
`
	macroNames = `#define HIP_VERSION 70000001
#define hipGetProp hipGetPropR0600
#define hipProp_t hipProp_tR0600
typedef enum hipError_t { hipSuccess = 0 } hipError_t;
typedef struct hipProp_t { char name[8]; int cores; } hipProp_t;
hipError_t hipGetProp(hipProp_t *prop, int device);
hipError_t hipAdvise(const void *p, size_t n, int advice);
hipError_t hipAdvise_v2(const void *p, size_t n, int advice, int where);
`
	inlineNames = `#define HIP_VERSION 80000001
#ifndef HIP_FORCE_API_VERSION
#define HIP_FORCE_API_VERSION 800
#endif
#include "hip/hip_api_symbols.h"
typedef enum hipError_t { hipSuccess = 0 } hipError_t;
typedef struct hipProp_tR0000 { char name[8]; } hipProp_tR0000;
typedef struct hipProp_tR0600 { char name[8]; int cores; } hipProp_tR0600;
struct hipProp_t {}; /* so that nobody declares it */
#if HIP_FORCE_API_VERSION < 600
typedef hipProp_tR0000 hipProp_t;
#else
typedef hipProp_tR0600 hipProp_t;
#endif
hipError_t HIP_API_SYMBOL(hipGetProp, R0600)(hipProp_tR0600 *prop, int device);
#ifdef HIP_ABI_IMPL
hipError_t hipGetProp(hipProp_tR0000 *prop, int device);
hipError_t hipGetPropR0000(hipProp_tR0000 *prop, int device);
#elif HIP_FORCE_API_VERSION < 600
hipError_t hipGetPropR0000(hipProp_tR0000 *prop, int device);
static inline hipError_t hipGetProp(hipProp_t *prop, int device) {
  return hipGetPropR0000(prop, device);
}
#else
static inline hipError_t hipGetProp(hipProp_t *prop, int device) {
  return HIP_API_SYMBOL(hipGetProp, R0600)(prop, device);
}
#endif
hipError_t hipAdvise_v2(const void *p, size_t n, int advice, int where);
#ifdef HIP_ABI_IMPL
hipError_t hipAdvise(const void *p, size_t n, int advice);
#else
static inline hipError_t hipAdvise(const void *p, size_t n, int advice, int where) {
  return hipAdvise_v2(p, n, advice, where);
}
#endif
/* An inline function that does more than forward stands for no symbol. */
static inline hipError_t hipAdviseAll(const void *p, size_t n) {
  return hipAdvise_v2(p, n, 0, 0);
}
`
	apiSymbols = `#define HIP_API_PASTE(name, suffix) name##suffix
#define HIP_API_SYMBOL(name, suffix) HIP_API_PASTE(name, suffix)
`
)

func generation(t *testing.T, text string) model.Release {
	t.Helper()
	r, err := parseText("hip", map[string]string{
		"hip/hip_runtime_api.h": "#include <stddef.h>\n" + text,
		"hip/hip_api_symbols.h": apiSymbols,
	})
	require.NoError(t, err)
	return r
}

// TestAPIVersion shows that a header which gives plain names away by inline functions binds the
// symbols in their bodies, and brings no name that is not exported.
func TestAPIVersion(t *testing.T) {
	t.Parallel()
	r := generation(t, inlineNames)
	var functions, structs []string
	for _, f := range r.Functions {
		functions = append(functions, f.C())
	}
	for _, s := range r.Structs {
		structs = append(structs, s.Name)
	}
	assert.Equal(t, []string{
		"hipError_t hipAdvise_v2(const void *p, size_t n, int advice, int where)",
		"hipError_t hipGetPropR0600(hipProp_tR0600 *prop, int device)",
	}, functions)
	assert.Equal(t, []string{"hipProp_tR0000", "hipProp_tR0600"}, structs,
		"the empty struct is no type of the API")
	assert.Equal(t, []string{"hipAdvise", "hipGetProp", "hipGetPropR0000"}, r.Internal)
	require.Len(t, r.Aliases, 2)
	assert.Equal(t, "hipAdvise_v2", r.Aliases[0].Spans[0].Target)
	assert.Equal(t, "hipGetPropR0600", r.Aliases[1].Spans[0].Target)
	for _, c := range r.Consts {
		assert.NotContains(t, []string{"HIP_FORCE_API_VERSION", "HIP_ABI_IMPL"}, c.Name)
	}

	old := generation(t, "#define HIP_FORCE_API_VERSION 500\n"+inlineNames)
	require.Len(t, old.Aliases, 2)
	assert.Equal(t, "hipGetPropR0000", old.Aliases[1].Spans[0].Target)
}

// TestAPIVersionHistory merges the three generations: the symbol of the plain name keeps the struct
// that it has always had.
func TestAPIVersionHistory(t *testing.T) {
	t.Parallel()
	releases := []model.Release{generation(t, plainNames), generation(t, macroNames),
		generation(t, inlineNames)}
	m, err := model.Merge(releases)
	require.NoError(t, err)
	require.Empty(t, m.Check())
	sameViews(t, m, releases)

	functions := map[string]model.Function{}
	for _, f := range m.Functions {
		functions[f.Name] = f
	}
	require.Len(t, functions, 4, "hipGetPropR0000 was never public")
	plain := functions["hipGetProp"]
	assert.Equal(t, "hipError_t hipGetProp(hipProp_t *prop, int device)", plain.C())
	assert.Equal(t, []string{"7.0", "8.0"}, []string{plain.Removed, plain.Internal})
	assert.Empty(t, functions["hipGetPropR0600"].Removed)
	assert.Empty(t, functions["hipGetPropR0600"].Variants)
	advise := functions["hipAdvise"]
	assert.Equal(t, []string{"8.0", "8.0"}, []string{advise.Removed, advise.Internal})
	assert.Empty(t, advise.Variants)

	sizes := map[string][]int{}
	for _, s := range m.Structs {
		sizes[s.Name] = append(sizes[s.Name], s.Layouts[0].Size)
		for _, v := range s.Variants {
			sizes[s.Name] = append(sizes[s.Name], v.Layouts[0].Size)
		}
	}
	assert.Equal(t, map[string][]int{"hipProp_t": {8}, "hipProp_tR0000": {8}, "hipProp_tR0600": {12}},
		sizes, "no struct changes its size under its name")
	for _, s := range m.Structs {
		if s.Name == "hipProp_t" {
			assert.Equal(t, "7.0", s.Removed)
		}
	}
	var spans []model.AliasSpan
	for _, a := range m.Aliases {
		if a.Name == "hipGetProp" {
			spans = a.Spans
		}
	}
	assert.Equal(t, []model.AliasSpan{{From: "7.0", To: "8.0", Target: "hipGetPropR0600"}}, spans,
		"the plain name means the same symbol, by macro or by inline function")
}
