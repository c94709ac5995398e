package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// flat is a text with single spaces.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestNamesThatDifferInCase: C has both, and so has Go.
func TestNamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	s := newSmall("1.0")
	s.function("miniAllToAll", span("1.0", ""), "int n")
	s.function("miniAlltoAll", span("1.0", ""), "size_t n")
	s.function("mini_all_to_all", span("1.0", ""), "short n")
	s.enum("miniAllToAll_t", span("1.0", ""), 1)
	p, err := s.plan(t)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"miniAllToAll":    "AllToAll func(int32) error",
		"miniAlltoAll":    "AlltoAll func(uintptr) error",
		"mini_all_to_all": "AllToAllFunc func(int16) error",
		"miniAllToAll_t":  "AllToAllEnum enum uint32",
	}, shapesOf(p))
	_, err = p.Files()
	assert.NoError(t, err)
}

// TestShapesOfFunctions: results other than a code, and parameters that stay pointers.
func TestShapesOfFunctions(t *testing.T) {
	t.Parallel()
	s := newSmall("1.0")
	s.Typedefs = append(s.Typedefs, model.Typedef{Name: "miniProgram", Span: span("1.0", ""),
		Kind: "handle", Type: "struct miniProgram_st *"})
	s.structure("miniUniqueId", span("1.0", ""), layout{128, 1, []int{0},
		[]string{"char[128] internal"}})
	s.structure("miniHuge", span("1.0", ""), layout{571458, 2, []int{0, 2},
		[]string{"short n", "char[571456] data"}})
	s.structure("miniMemory_v2", span("1.0", ""), layout{8, 4, []int{0, 4},
		[]string{"unsigned int version", "int used"}})
	ret := func(f *model.Function, c model.Type) { f.Ret = c }
	v := span("1.0", "")
	ret(s.function("miniGetErrorString", v, "miniResult code"), "const char *")
	ret(s.function("miniDump", v), "void")
	ret(s.function("miniCount", v), "unsigned int")
	s.function("miniCodeToString", v, "miniResult code", "const char ** text")
	s.function("miniDestroyProgram", v, "miniProgram * prog")
	s.function("miniInitRank", v, "miniProgram comm", "int nranks", "miniUniqueId id", "int rank")
	s.function("miniGetUniqueId", v, "miniUniqueId * id")
	s.function("miniGetHuge", v, "miniHuge * pHuge")
	s.function("miniGetMemory", v, "miniProgram device", "miniMemory_v2 * pMemory")
	s.function("miniIsOn", v, "miniProgram device", "_Bool * enabled")
	s.function("miniGetLog", v, "miniProgram prog", "char * log")
	s.function("miniGetPids", v, "miniProgram device", "unsigned int * infoCount",
		"unsigned int * infos")
	s.facts = "[direction]\n\"miniGetUniqueId.id\" = \"out\"\n\"miniIsOn.enabled\" = \"out\"\n" +
		"\"miniCodeToString.text\" = \"out:string\"\n"
	assert.Equal(t, map[string]string{
		"miniProgram":        "Program handle",
		"miniUniqueId":       "UniqueId struct 128/1",
		"miniHuge":           "Huge struct 571458/2",
		"miniMemory_v2":      "MemoryV2 struct 8/4",
		"miniGetErrorString": "GetErrorString func(Result) (string, error)",
		"miniDump":           "Dump func() error",
		"miniCount":          "Count func() (uint32, error)",
		"miniCodeToString":   "CodeToString func(Result) (string, error)",
		"miniDestroyProgram": "DestroyProgram func(*Program) error",
		"miniInitRank":       "InitRank func(Program, int32, UniqueId, int32) error",
		"miniGetUniqueId":    "GetUniqueId func() (UniqueId, error)",
		"miniGetHuge":        "GetHuge func(*Huge) error",
		"miniGetMemory":      "GetMemory func(Program, *MemoryV2) error",
		"miniIsOn":           "IsOn func(Program) (bool, error)",
		"miniGetLog":         "GetLog func(Program, *byte) error",
		"miniGetPids":        "GetPids func(Program, *uint32, *uint32) error",
	}, s.shapes(t))
}

// TestResultsThatAreNoErrors: success has no Err in front of its name even where all codes have one
// prefix, and a result that is no failure is returned as it is.
func TestResultsThatAreNoErrors(t *testing.T) {
	t.Parallel()
	s := newSmall("1.0")
	s.Enums[0].Values = nil
	for i, name := range []string{"MINI_OK", "MINI_ERROR_FAILED", "MINI_ERROR_IN_PROGRESS",
		"MINI_ERROR_UNKNOWN"} {
		value := []int64{0, 1, 7, 0xfffffffe}[i]
		s.Enums[0].Values = append(s.Enums[0].Values, model.EnumValue{Name: name, Value: value,
			Span: span("1.0", "")})
	}
	p, err := s.plan(t)
	require.NoError(t, err)
	p.Rules.Binding.Pending = "MINI_ERROR_IN_PROGRESS"
	p.Rules.Binding.ErrPrefix = []string{"MINI_"}
	p, err = NewPlan(p.Model, p.Rules)
	require.NoError(t, err)
	text := flat(source(t, p, "zresult.go"))
	for _, want := range []string{
		"type Result uint32",
		"Ok Result = 0 // MINI_OK",
		"ErrErrorUnknown Result = 4294967294 // MINI_ERROR_UNKNOWN",
		"if Result(rc) == ErrErrorInProgress { return ErrErrorInProgress }",
		"switch r { case ErrErrorUnknown: return 4 }",
		"it is returned as the bare code",
	} {
		assert.Contains(t, text, want)
	}
}
