package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// theModel is small: one function of each kind that rules can be about.
func theModel() *model.Model {
	v := model.Span{Since: "1.0"}
	return &model.Model{
		API:      "mini",
		Versions: []model.Version{{Name: "1.0", Number: 10}, {Name: "2.0", Number: 20}},
		Functions: []model.Function{
			{Name: "miniAsk", Group: "Text", Span: v, Ret: "miniResult",
				Params: []model.Param{{Name: "name", Type: "char *"}, {Name: "len", Type: "int"}}},
			{Name: "miniRun", Group: "Text", Span: v, Ret: "miniResult",
				Params: []model.Param{{Name: "fn", Type: "miniFn"}, {Name: "data", Type: "void *"}}},
		},
		Enums: []model.Enum{
			{Name: "miniFlags", Span: v, Values: []model.EnumValue{{Name: "MINI_A", Value: 1, Span: v}}},
			{Name: "miniResult", Span: v, Values: []model.EnumValue{{Name: "MINI_OK", Span: v},
				{Name: "MINI_BAD", Value: 1, Span: v}}},
		},
		Structs: []model.Struct{{
			Name: "miniDesc", Span: v, Layouts: []model.Layout{{Size: 8, Align: 4, Offsets: []int{0, 4}}},
			Fields: []model.Field{{Name: "flags", Type: "unsigned int"},
				{Name: "", Type: "union", Inner: &model.Struct{
					Union: true, Layouts: []model.Layout{{Size: 4, Align: 4, Offsets: []int{0}}},
					Fields: []model.Field{{Name: "id", Type: "int"}},
				}}},
		}},
		Typedefs: []model.Typedef{{Name: "miniFn", Span: v, Kind: "callback", Ret: "void",
			Params: []model.Param{{Name: "data", Type: "void *"}}}},
		Consts: []model.Const{
			{Name: "MINI_M", Span: v, Kind: "int", Value: "1"},
			{Name: "MINI_N", Span: v, Kind: "int", Value: "2"},
			{Name: "MINI_NAME", Span: v, Kind: "string", Value: "x"},
		},
	}
}

const goodLibrary = `name = "MINI"
title = "mini library"
env = "GPUEVENT_MINI_LIBRARY"
remedy = "install mini"
update = "update mini"
probe = "miniAsk"
linux = { names = ["libmini.so.1"], folders = [""] }`

// withPackage has the lines of a package's table behind those that are the same in all tests.
func withPackage(lines ...string) string {
	return "header = { files = [\"mini.h\"], version = { macro = \"MINI_VERSION\" } }\n[library]\n" +
		goodLibrary + "\n[package]\n" + strings.Join(lines, "\n") + "\n"
}

var good = map[string]string{
	"mini.toml": `package = { name = "mini", vendor = "Mini", title = "mini API", ` +
		`result = "miniResult", success = "MINI_OK" }
header = { files = ["mini.h"], version = { macro = "MINI_VERSION" } }
[library]
` + goodLibrary + `
[names]
miniAsk = { go = "Question", why = "shorter" }
[gotype]
"miniDesc.id" = { go = "uint32", why = "an id" }
`,
	"mini.facts.toml": `[context]
none = [
  "miniAsk", # needs nothing
]
[paramtype]
"miniDesc.flags" = "miniFlags"
[direction]
"miniAsk.name" = "string:len"
"miniRun.data" = "in"
[callback]
miniFn = { userdata = "data", lifetime = "once" }
`,
	"mini.docs.toml": `[groups.Text]
title = "texts"
file = "text"
[functions]
miniAsk = "asks"
miniRun = "runs"
[types]
miniDesc = "a description"
miniFlags = "flags"
miniFn = "a function"
miniResult = "a result"
`,
	"mini.errors.toml": `[MINI_BAD]
says = "bad"
remedy = "do good"
`,
}

// load writes the rules, some of them changed, and loads and checks them.
func load(t *testing.T, changed map[string]string) (*Rules, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range good {
		if c, ok := changed[name]; ok {
			text = c
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if lock, ok := changed["mini.lock"]; ok {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mini.lock"), []byte(lock), 0o644))
	}
	r, err := Load(dir, "mini")
	if err != nil {
		return nil, err
	}
	return r, r.Check(theModel())
}

func TestGoodRules(t *testing.T) {
	t.Parallel()
	r, err := load(t, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Warnings)
	assert.True(t, r.Lock.Empty())
	assert.Equal(t, "Question", r.Binding.Names["miniAsk"].Go)
}

// family is the good binding with a family of macros behind it.
func family(name, consts, uses string) string {
	return good["mini.toml"] + "[macroflags." + name + "]\nsays = \"x\"\nbits = true\nconsts = " +
		consts + "\nuses = " + uses + "\n"
}

// TestBadRules has one mistake a row; the error names file, line and what is wrong.
func TestBadRules(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, text, want string }{
		"syntax": {"mini.facts.toml", "[context]\nnone = [\n", "mini.facts.toml:"},
		"unknown key": {"mini.toml", "wrong = 1\n" + good["mini.toml"],
			"mini.toml:1: unknown key \"wrong\""},
		"unknown table": {"mini.facts.toml", "[directions]\n\"a.b\" = \"out\"\n",
			`mini.facts.toml:1: unknown key "directions"`},
		"unknown in inline": {"mini.facts.toml",
			"[callback]\n\nminiFn = { userdata = \"data\", lifetime = \"once\", colour = \"red\" }\n",
			`mini.facts.toml:3: unknown key "colour"`},
		"unknown in error": {"mini.errors.toml",
			"[MINI_BAD]\nsays = \"a\"\nremedy = \"b\"\nsay = \"c\"\n",
			`mini.errors.toml:4: unknown key "say"`},
		"wrong type": {"mini.docs.toml", "[functions]\nminiAsk = 7\n",
			"mini.docs.toml:2: functions.miniAsk: incompatible types"},
		"no package": {"mini.toml", withPackage(`vendor = "Mini"`), "mini.toml:10: [package] lacks name"},
		"no such result": {"mini.toml", withPackage(`name = "mini"`, `result = "miniRes"`),
			`mini.toml:12: no enum is named "miniRes"`},
		"no header": {"mini.toml", "[header]\ndefines = [\"X\"]\n", "mini.toml:1: [header] lacks files"},
		"optional header first": {"mini.toml", "[header]\nfiles = [\"?mini.h\", \"more.h\"]\n",
			"mini.toml:2: the first header can't be an optional one"},
		"header without a version": {"mini.toml", "[header]\nfiles = [\"mini.h\"]\n",
			"version needs macro, macros or release"},
		"two kinds of versions": {"mini.toml",
			"[header.version]\nmacro = \"A\"\nmacros = [\"B\"]\n",
			"mini.toml:3: macro and macros exclude each other"},
		"parts of nothing": {"mini.toml", "[header.version]\nmacro = \"A\"\nformat = [100, 0]\n",
			"mini.toml:3: format must be of positive numbers"},
		"library without a name": {"mini.toml", "[library]\nname = \"mini\"\n",
			"mini.toml:2: name must be that of an exported Go variable"},
		"library without a remedy": {"mini.toml", "[library]\ntitle = \"mini\"\n",
			"mini.toml:1: [library] lacks remedy"},
		"library nowhere": {"mini.toml", "[library]\n", "mini.toml:1: linux and windows name no file"},
		"folders of nothing": {"mini.toml", "[library.linux]\nfolders = [\"/\"]\n",
			"mini.toml:1: [library.linux] lacks names"},
		"probe of nothing": {"mini.toml", "[library]\nprobe = \"miniNone\"\n",
			`mini.toml:2: no function is named "miniNone"`},
		"no probe": {"mini.toml", "[library]\n", "without a version function a probe is needed"},
		"version in no way": {"mini.toml",
			"[library.version]\nfunction = \"miniAsk\"\nreads = \"tea leaves\"\n",
			`mini.toml:3: reads "tea leaves" is none of number, numbers, struct, text`},
		"version without parts": {"mini.toml",
			"[library.version]\nfunction = \"miniAsk\"\nreads = \"struct\"\n",
			`mini.toml:3: "struct" needs parts`},
		"version without format": {"mini.toml",
			"[library.version]\nfunction = \"miniAsk\"\nreads = \"number\"\n",
			`mini.toml:3: "number" needs format`},
		"name of nothing": {"mini.toml",
			good["mini.toml"] + "[prefixes.enums]\nminiFlag = \"X\"\n",
			`mini.toml:16: no enum is named "miniFlag"`},
		"rule without reason": {"mini.toml",
			withPackage(`name = "mini"`) + "[names]\nminiAsk = { go = \"Q\" }\n",
			"mini.toml:13: a name needs both go and why"},
		"missing symbol": {"mini.toml",
			good["mini.toml"] + "[missing]\nminiNone = { reason = \"x\" }\n",
			`mini.toml:16: no function is named "miniNone"`},
		"family of nothing": {"mini.toml", family("Ask", `["miniX"]`, `["miniAsk.len"]`),
			`mini.toml:18: Ask: no macro is named miniX`},
		"family of a text": {"mini.toml", family("Ask", `["MINI_NAME"]`, `["miniAsk.len"]`),
			`mini.toml:18: Ask: MINI_NAME is not a plain integer`},
		"family used nowhere": {"mini.toml", family("Ask", `["MINI_M"]`, `["miniAsk.length"]`),
			`mini.toml:19: Ask: no parameter or field is named miniAsk.length`},
		"family of pointers": {"mini.toml", family("Ask", `["MINI_M"]`, `["miniRun.data"]`),
			"miniRun.data is void *, which carries no flags"},
		"family without use": {"mini.toml", family("Ask", `["MINI_M"]`, `[]`),
			"mini.toml:15: Ask needs says, consts and uses"},
		"family in lower case": {"mini.toml", family("ask", `["MINI_M"]`, `["miniAsk.len"]`),
			`mini.toml:15: "ask" can't be the name of an exported Go type`},
		"macro in two families": {"mini.toml",
			family("A", `["MINI_M"]`, `["miniAsk.len"]`) +
				family("B", `["MINI_M"]`, `["miniDesc.id"]`)[len(good["mini.toml"]):],
			"mini.toml:23: MINI_M is in A and in B"},
		"use in two families": {"mini.toml",
			family("A", `["MINI_M"]`, `["miniAsk.len"]`) +
				family("B", `["MINI_N"]`, `["miniAsk.len"]`)[len(good["mini.toml"]):],
			"mini.toml:24: miniAsk.len is in A and in B"},
		"use with an enum": {"mini.toml", family("A", `["MINI_M"]`, `["miniDesc.flags"]`),
			"miniDesc.flags has a type in [paramtype], too: miniFlags"},
		"missing without reason": {"mini.toml",
			good["mini.toml"] + "[missing]\nminiAsk = { until = \"2.0\" }\n",
			"mini.toml:16: miniAsk needs a reason"},
		"missing until nothing": {"mini.toml",
			good["mini.toml"] + "[missing]\nminiAsk = { reason = \"x\", until = \"2.1\" }\n",
			`mini.toml:16: miniAsk: no release is named "2.1"`},
		"missing before it was there": {"mini.toml",
			good["mini.toml"] + "[missing]\nminiAsk = { reason = \"x\", until = \"1.0\" }\n",
			"mini.toml:16: miniAsk is declared since 1.0 only"},
		"missing at no time": {"mini.toml",
			good["mini.toml"] + "[missing]\nminiAsk = { reason = \"x\", from = \"2.0\", until = \"2.0\" }\n",
			"from 2.0 until 2.0 is not a valid range"},
		"context of nothing": {"mini.facts.toml",
			"[context]\nnone = [\n  \"miniAsk\",\n  \"miniNone\",\n]\n",
			`mini.facts.toml:4: no function is named "miniNone"`},
		"context twice": {"mini.facts.toml", "[context]\nnone = [\"miniAsk\", \"miniAsk\"]\n",
			"miniAsk is listed twice"},
		"direction of nothing": {"mini.facts.toml", "[direction]\n\"miniAsk.nam\" = \"out\"\n",
			`mini.facts.toml:2: miniAsk has no parameter "nam"; it has name, len`},
		"unknown direction": {"mini.facts.toml", "[direction]\n\"miniAsk.name\" = \"outwards\"\n",
			`mini.facts.toml:2: direction "outwards" is none of`},
		"length of nothing": {"mini.facts.toml",
			"[direction]\n\"miniAsk.name\" = \"string:size\"\n",
			`mini.facts.toml:2: miniAsk has no parameter "size"`},
		"direction of a number": {"mini.facts.toml", "[direction]\n\"miniAsk.len\" = \"out\"\n",
			"which has no direction"},
		"no such enum": {"mini.facts.toml",
			"[paramtype]\n\"miniAsk.len\" = \"miniColour\"\n",
			`mini.facts.toml:2: no enum is named "miniColour"`},
		"no such field": {"mini.facts.toml",
			"[paramtype]\n\"miniDesc.colour\" = \"miniFlags\"\n",
			`mini.facts.toml:2: no parameter or field is named "miniDesc.colour"`},
		"bit set of nothing": {"mini.facts.toml", "[bitsets]\nenums = [\n\"miniSet\",\n]\n",
			`mini.facts.toml:3: no enum is named "miniSet"`},
		"callback of nothing": {"mini.facts.toml",
			"[callback]\nminiGn = { userdata = \"data\", lifetime = \"once\" }\n",
			`mini.facts.toml:2: no callback type`},
		"lifetime": {"mini.facts.toml",
			"[callback]\nminiFn = { userdata = \"data\", lifetime = \"twice\" }\n",
			`mini.facts.toml:2: lifetime "twice" is none of`},
		"until nothing": {"mini.facts.toml",
			"[callback]\nminiFn = { userdata = \"data\", lifetime = \"until:miniStop\" }\n",
			`mini.facts.toml:2: no function is named "miniStop"`},
		"text of nothing": {"mini.docs.toml", good["mini.docs.toml"] + "miniNone = \"x\"\n",
			`mini.docs.toml:12: no type is named "miniNone"`},
		"file of the generator": {"mini.docs.toml",
			"[groups.Text]\ntitle = \"x\"\nfile = \"structs\"\n",
			"mini.docs.toml:1: the group needs a title and a file"},
		"error text of nothing": {"mini.errors.toml",
			good["mini.errors.toml"] + "[MINI_WORSE]\nsays = \"a\"\nremedy = \"b\"\n",
			"mini.errors.toml:4: miniResult has no code of that name"},
		"error text without remedy": {"mini.errors.toml", "[MINI_BAD]\nsays = \"a\"\n",
			"mini.errors.toml:1: MINI_BAD needs both says and remedy"},
		"malformed lock": {"mini.lock", "# x\nQuestion miniAsk\n",
			`mini.lock:2: a line is "GoName kind CName shape"`},
		"kind in lock": {"mini.lock", "Question verb miniAsk\n", `mini.lock:1: kind "verb"`},
		"twice in lock": {"mini.lock", "A func miniAsk\nB func miniAsk\n",
			"mini.lock:2: func miniAsk is named twice: A and B"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, map[string]string{tc.file: tc.text})
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestMissingTextsAreWarnings(t *testing.T) {
	t.Parallel()
	r, err := load(t, map[string]string{"mini.docs.toml": "[functions]\nminiAsk = \"asks\"\n",
		"mini.errors.toml": ""})
	require.NoError(t, err)
	var got []string
	for _, w := range r.Warnings {
		got = append(got, w.Msg)
	}
	assert.ElementsMatch(t, []string{
		"[groups] lacks Text, the group of miniAsk", "[groups] lacks Text, the group of miniRun",
		"[functions] lacks a text for miniRun",
		"[types] lacks a text for miniDesc", "[types] lacks a text for miniFlags",
		"[types] lacks a text for miniFn",
		"[types] lacks a text for miniResult", "the result code MINI_BAD lacks a text",
	}, got)
}

func TestOnlyBindingMustExist(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Load(dir, "mini")
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mini.toml"), []byte(good["mini.toml"]), 0o644))
	r, err := Load(dir, "mini")
	require.NoError(t, err)
	assert.Len(t, r.Warnings, 3, "one for each file that is not there")
	assert.NoError(t, r.Check(theModel()))
}

func TestGuessDirection(t *testing.T) {
	t.Parallel()
	member := func(name string, typ model.Type) []model.Field {
		return []model.Field{{Name: name, Type: typ}}
	}
	sized := func(n int) []model.Layout { return []model.Layout{{Size: n, Align: 4}} }
	types := NewShapes(&model.Model{
		Structs: []model.Struct{
			{Name: "miniInfo", Layouts: sized(8), Fields: member("name", "int")},
			{Name: "miniInfo_v2", Layouts: sized(8), Fields: member("version", "unsigned int")},
			{Name: "miniConfig", Layouts: sized(8), Fields: member("size", "size_t")},
			{Name: "miniPlain", Layouts: sized(8), Fields: member("structSize", "miniUint32_t")},
			{Name: "miniHuge", Layouts: sized(571458), Fields: member("name", "char")},
		},
		Typedefs: []model.Typedef{
			{Name: "miniEvent", Kind: "handle", Type: "struct miniEvent_st *"},
			{Name: "miniInfo_t", Kind: "alias", Type: "miniInfo_v2"},
			{Name: "miniUint32_t", Kind: "alias", Type: "unsigned int"},
			{Name: "miniDevice", Kind: "alias", Type: "int"},
		},
	})
	param := func(name string, typ model.Type) model.Param {
		return model.Param{Name: name, Type: typ}
	}
	out := func(name string, typ model.Type) model.Param {
		return model.Param{Name: name, Type: typ, Dir: "out"}
	}
	list := func(ps ...model.Param) []model.Param { return ps }
	event, info := param("phEvent", "miniEvent *"), param("pInfo", "miniInfo *")
	for name, tc := range map[string]struct {
		function string
		params   []model.Param
		want     string
	}{
		"p and a handle":     {"miniDo", list(event), "out"},
		"no such name":       {"miniDo", list(param("event", "miniEvent *")), "inout"},
		"the header says so": {"miniDo", list(out("event", "miniEvent *")), "out"},
		"the header denies": {"miniDo", list(model.Param{Name: "pEvent", Type: "miniEvent *", Dir: "in"}),
			"inout"},
		"with a count": {"miniDo", list(param("pEvents", "miniEvent *"), param("numEvents", "int")),
			"buffer"},
		"one handle and a count": {"miniDo", list(event, param("numOthers", "int")), "buffer"},
		"a struct and a count":   {"miniDo", list(info, param("count", "int")), "buffer"},
		"a count of groups":      {"miniDo", list(info, param("nbGroups", "unsigned int")), "buffer"},
		"a number of no known meaning": {"miniDo", list(info, param("groups", "unsigned int")),
			"buffer"},
		"a fixed-width number": {"miniDo", list(info, param("groups", "miniUint32_t")), "buffer"},
		"flags":                {"miniDo", list(info, param("flags", "unsigned int")), "out"},
		"an index":             {"miniDo", list(info, param("fanIndex", "unsigned int")), "out"},
		"the API's own number": {"miniDo", list(info, param("unit", "miniDevice")), "out"},
		"a number of devices":  {"miniDo", list(info, param("ndev", "int")), "buffer"},
		"a count that is written": {"miniDo", list(out("info", "miniInfo *"), param("count", "size_t *")),
			"buffer"},
		"a count of groups that is written": {"miniDo", list(out("info", "miniInfo *"),
			param("nbGroups", "unsigned int *")), "buffer"},
		"the count beside it": {"miniDo", list(out("count", "size_t *"), param("info", "miniInfo *")),
			"inout"},
		"numbers and their count": {"miniGetIds", list(param("pIds", "int *"), param("n_ids", "int *")),
			"buffer"},
		"only a count": {"miniGetCount", list(param("deviceCount", "int *")), "out"},
		"two values": {"miniDo", list(param("pMajor", "int *"), param("pMinor", "int *")),
			"out"},
		"several things":             {"miniDo", list(out("values", "int *")), "inout"},
		"flags that are written":     {"miniDo", list(out("flags", "int *")), "out"},
		"floats":                     {"miniDo", list(out("pColor", "float *")), "inout"},
		"bytes":                      {"miniDo", list(out("pUuid", "unsigned char *")), "inout"},
		"a struct":                   {"miniDo", list(info), "out"},
		"a struct with its version":  {"miniDo", list(out("pInfo", "miniInfo_v2 *")), "inout"},
		"an alias of such a struct":  {"miniDo", list(out("pInfo", "miniInfo_t *")), "inout"},
		"a struct with its size":     {"miniDo", list(out("pConfig", "miniConfig *")), "inout"},
		"a struct of a typedef size": {"miniDo", list(out("pPlain", "miniPlain *")), "inout"},
		"a huge struct":              {"miniDo", list(out("pHuge", "miniHuge *")), "inout"},
		"name that begins with out":  {"miniDo", list(param("outEvent", "miniInfo *")), "out"},
		"void":                       {"miniDo", list(param("pData", "void *")), "buffer"},
		"pointer to pointer":         {"miniDo", list(param("ppData", "void **")), "out"},
		"memory and its size": {"miniDo", list(param("ppData", "void **"), param("bytes", "size_t")),
			"buffer"},
		"text with length": {"miniDo", list(param("name", "char *"), param("len", "int")),
			"string:len"},
		"a length that may be another text's": {"miniDo", list(param("name", "char *"),
			param("len", "int"), param("from", "const char *")), "buffer"},
		"text without length":    {"miniDo", list(param("name", "char *")), "buffer"},
		"address of a constant":  {"miniDo", list(param("pStr", "const char **")), "out:string"},
		"addresses of constants": {"miniDo", list(param("keys", "const char ***")), "inout"},
		"name that ends in _out": {"miniDo", list(param("event_out", "miniEvent *")), "out"},
		"a getter": {"miniGetFan", list(param("fan", "int *"), param("unit", "miniDevice")),
			"out"},
		"a getter of C's style": {"mini_get_fan", list(param("fan", "int *")), "out"},
		"a getter of a struct":  {"miniGetInfo", list(param("info", "miniInfo *")), "inout"},
		"number":                {"miniDo", list(param("p", "int")), "in"},
	} {
		got := GuessDirection(&model.Function{Name: tc.function, Params: tc.params}, 0, types)
		assert.Equal(t, tc.want, got.String(), name)
	}
}

func TestFactsFollowRenamedParameters(t *testing.T) {
	t.Parallel()
	rename := func(change func(ask *model.Function)) (*Rules, error) {
		dir := t.TempDir()
		for name, text := range good {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		r, err := Load(dir, "mini")
		require.NoError(t, err)
		m := theModel()
		change(&m.Functions[0])
		return r, r.Check(m)
	}
	r, err := rename(func(ask *model.Function) {
		ask.Variants = []model.Prototype{{From: "1.0", To: "1.0", Ret: ask.Ret, Params: ask.Params}}
		ask.Params = []model.Param{{Name: "deviceName", Type: "char *"}, {Name: "capacity", Type: "int"}}
	})
	require.NoError(t, err, "an older prototype has the names")
	assert.Equal(t, map[string]Direction{
		"miniAsk.deviceName": {Way: Text, Length: "capacity"}, "miniRun.data": {}}, r.Facts.Direction)
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0].Error(), "mini.facts.toml:8: miniAsk.name is called "+
		"miniAsk.deviceName in the newest header")

	r, err = rename(func(ask *model.Function) {
		ask.Params[0].Name, ask.Params[1].Name = "_Name", "Len"
	})
	require.NoError(t, err, "only the spelling differs")
	assert.Equal(t, "string:Len", r.Facts.Direction["miniAsk._Name"].String())

	r, err = rename(func(ask *model.Function) {
		ask.Params = []model.Param{
			{Name: "text", Type: "char *", Was: []model.Former{{Name: "name", To: "1.0"}}},
			{Name: "size", Type: "int",
				Was: []model.Former{{Name: "length", To: "0.9"}, {Name: "len", To: "1.0"}}}}
	})
	require.NoError(t, err, "older headers had the names in the same prototype")
	assert.Equal(t, "string:size", r.Facts.Direction["miniAsk.text"].String())
	assert.Contains(t, r.Warnings[0].Error(),
		"miniAsk.name is called miniAsk.text in the newest header")

	_, err = rename(func(ask *model.Function) {
		ask.Params = []model.Param{{Name: "a", Type: "char *"}, {Name: "b", Type: "char *"},
			{Name: "len", Type: "int"}}
	})
	assert.ErrorContains(t, err,
		`mini.facts.toml:8: miniAsk has no parameter "name"; it has a, b, len`)
}

func TestNewFormsInheritFacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range good {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	r, err := Load(dir, "mini")
	require.NoError(t, err)
	m := theModel()
	v := model.Span{Since: "2.0"}
	m.Functions = append(m.Functions,
		model.Function{Name: "miniAsk_v2", Span: v,
			Params: []model.Param{{Name: "name", Type: "char *"}, {Name: "len", Type: "int"},
				{Name: "more", Type: "int *"}}},
		model.Function{Name: "miniAsk_v3_spt", Span: v,
			Params: []model.Param{{Name: "name", Type: "char *"}, {Name: "size", Type: "int"}}},
		model.Function{Name: "miniRun_v2", Span: v, Params: []model.Param{{Name: "data", Type: "int *"}}},
		model.Function{Name: "miniRunning", Span: v,
			Params: []model.Param{{Name: "data", Type: "void *"}}},
	)
	require.NoError(t, r.Check(m))
	assert.Equal(t, "string:len", r.Facts.Direction["miniAsk_v2.name"].String())
	assert.Contains(t, r.Facts.Context.None, "miniAsk_v2")
	assert.Equal(t, []Guess{{"miniAsk_v2.name", "string:len, as of miniAsk"}}, r.Inherited,
		"not where the length has another name, the parameter another type, or the name only begins "+
			"alike")
}
