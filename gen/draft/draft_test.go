package draft

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       rules.HeaderVersion
	}{
		{"one number", "#define TOY_VERSION 12040\n",
			rules.HeaderVersion{Macro: "TOY_VERSION", Format: []int{1000, 10}}},
		{"a code in parentheses", "# define TOY_VERSION_CODE (22703) /* 2.27.3 */\n",
			rules.HeaderVersion{Macro: "TOY_VERSION_CODE", Format: []int{10_000, 100, 1}}},
		{"parts, in any order", "#define TOY_PATCH 3\n#define TOY_MINOR 27\n#define TOY_MAJOR 2\n" +
			"#define TOY_VERSION 22703\n",
			rules.HeaderVersion{Macros: []string{"TOY_MAJOR", "TOY_MINOR", "TOY_PATCH"}}},
		{"two parts", "#define TOY_VERSION_MAJOR 1\n#define TOY_VERSION_MINOR 0\n",
			rules.HeaderVersion{Macros: []string{"TOY_VERSION_MAJOR", "TOY_VERSION_MINOR"}}},
		{"parts of something else", "#define TOY_VERSION 7\n#define OTHER_MINOR 4\n",
			rules.HeaderVersion{Macro: "TOY_VERSION", Format: []int{1}}},
		{"none", "#define TOY_LIMIT 4\n#define TOY_VERSION_TEXT \"1.2\"\n",
			rules.HeaderVersion{Release: true}},
	} {
		assert.Equal(t, tt.want, versionOf(tt.text), tt.name)
	}
}

func TestReported(t *testing.T) {
	t.Parallel()
	with := func(params ...model.Type) *model.Model {
		f := model.Function{Name: "toyGetVersion"}
		for _, p := range params {
			f.Params = append(f.Params, model.Param{Name: "p", Type: p})
		}
		return &model.Model{Functions: []model.Function{{Name: "toyInit"}, f}}
	}
	v := &rules.HeaderVersion{Format: []int{100, 1}}
	assert.Equal(t, rules.LibraryVersion{Function: "toyGetVersion", Reads: "number",
		Format: []int{100, 1}}, reported(with("int *"), v))
	assert.Equal(t, rules.LibraryVersion{Function: "toyGetVersion", Reads: "numbers", Parts: 2},
		reported(with("int *", "int *"), v))
	assert.Equal(t, rules.LibraryVersion{Function: "toyGetVersion", Reads: "text"},
		reported(with("char *", "unsigned int"), v))
	assert.Empty(t, reported(with("toyDevice", "int *"), v))
	assert.Empty(t, reported(with(), v))
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"toy"}, prefixes([]string{"toyRun", "toyStop", "toyEventCreate"}))
	assert.Equal(t, []string{"toy_"}, prefixes([]string{"toy_run", "toy_stop"}))
	assert.Equal(t, []string{"toy", "ptoy"}, prefixes([]string{"toyRun", "toyStop", "ptoyRun"}))
	assert.Equal(t, []string{"toy", "TOY_"}, like([]string{"toy", "TOY_", "other_"}, "toy"))
	assert.Equal(t, "TOY_ERROR_", common([]string{"TOY_ERROR_A", "TOY_ERROR_B"}))
	assert.Empty(t, common([]string{"TOY_ERROR_A"}), "one name has no common beginning")
	assert.True(t, frequent([]string{"TOYx", "toy"}, "TOY"))
}
