package planted

// generator are mistakes in the generator's Go code, with everything generated anew: what it
// writes about itself for the proofs is as wrong as the code.
var generator = []plant{
	{
		name: "generator forgets to keep texts alive", finder: "TestSource",
		says: `cuDeviceGetByPCIBusId: .*pciBusIdText, which nothing keeps alive`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) finish()",
			old: "\t\tcase a.how == byString:\n\t\t\tkeep(a.name + \"Text\")\n", new: ""},
	},
	{
		name: "generator forgets to keep what pointers point to alive", finder: "TestSource",
		says: `hipMemcpy: .*(dst|src), which nothing keeps alive`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) finish()",
			old: "a.typ.kind == kPtr || a.typ.kind == kUnsafe ||", new: "a.typ.kind == kPtr ||"},
	},
	{
		name: "generator gives result slots back before it reads them", finder: "TestSource",
		says: `cuDeviceGetCount: a result is read from a slot that was given back`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) finish()",
			old: "\top := \":=\"\n",
			new: "\tif f.slots > 0 {\n\t\tg.Id(\"out\").Dot(\"Free\").Call(jen.Lit(f.slots))\n\t}\n" +
				"\top := \":=\"\n"},
		alone: true,
	},
	{
		name: "generator passes floating-point numbers as integers", finder: "TestOracle",
		needs: aCompiler, says: `cuTexRefSetMipmapLevelBias\.bias: C received`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) frame()",
			old: "case a.how == byArg && a.typ.kind == kFloat:",
			new: "case a.how == byArg && a.typ.kind == kFloat && a.typ.size == 8:"},
	},
	{
		name: "generator passes the first word of a struct", finder: "TestOracle", needs: aCompiler,
		says: `cuIpcOpenEventHandle\.handle: C received`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) frame()",
			old: "jen.Op(\"&\").Id(a.name)), jen.Qual(\"unsafe\", \"Sizeof\").\n" +
				"\t\t\t\t\tCall(jen.Id(a.name)))",
			new: "jen.Op(\"&\").Id(a.name)), jen.Lit(8))"},
	},
	{
		name: "generator makes result slots overlap", finder: "TestOracle", needs: aCompiler,
		says: `(result's memory was not zero|C wrote [0-9a-f]+, Go returned)`,
		edit: edit{file: "gen/emit/func_plan.go", in: ") chooseForm(",
			old: "f.slots += words", new: "f.slots++"},
		alone: true,
	},
	{
		name: "generator has callbacks that run once stay registered", finder: "TestOracle",
		needs: aCompiler, says: `cuLaunchHostFunc\.fn: .* the Go func has run 2 times instead of 1`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) prepare()",
			old: `life := "Once"`, new: `life := "Held"`},
	},
	{
		name: "generator leaves callbacks behind when a call fails", finder: "TestOracle",
		needs: aCompiler, says: `hipLaunchHostFunc\.fn: .*returned an error.* run 1 times instead of 0`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) finish()",
			old: `g.If(jen.Id("rc").Op("!=").Lit(0))`, new: `g.If(jen.Id("rc").Op("==").Lit(-1))`},
	},
	{
		name: "generator gives a callback's slot back before the call", finder: "TestOracle",
		needs: aCompiler,
		says:  `cuOccupancyMaxPotentialBlockSize\.blockSizeToDynamicSMemSize: .*ran 0 times`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) takeSlot(",
			old: `jen.Defer().Id(a.cb.slots())`, new: `jen.Id(a.cb.slots())`},
	},
	{
		name: "generator mixes up the words of a registration", finder: "TestOracle", needs: aCompiler,
		says: `cuLogsRegisterCallback\.callbackFunc: .*ran 0 times`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) word(",
			old: `jen.Id(b.f.params[a.of].name).Dot("UserData").Call()`,
			new: `jen.Id(b.f.params[a.of].name).Dot("UserData").Call().Op("+").Lit(1 << 40)`},
	},
	{
		name: "generator drops the result code", finder: "TestOracle", needs: aCompiler,
		says: `cuEventSynchronize: with result code \d+ the error is <nil>`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) finish()",
			old: `jen.Op("&").Id(f.proc), jen.Id("rc"))`,
			new: `jen.Op("&").Id(f.proc), jen.Id("rc").Op("*").Lit(0))`},
	},
	{
		name: "generator has no length for buffers", finder: "TestOracle", needs: aCompiler,
		says: `cuDeviceGetName\.len: a buffer of 0 bytes`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) word(",
			old: `jen.Uintptr().Call(jen.Len(jen.Id(b.f.params[a.of].name + "Buf")))`,
			new: `jen.Uintptr().Call(jen.Len(jen.Id(b.f.params[a.of].name + "Buf")).Op("*").Lit(0))`},
	},
	{
		name: "generator links with the name that sources use", finder: "TestOracle", needs: aCompiler,
		says: `cuMemAlloc_v2: C entered ""|cuEventElapsedTime_v2: C entered "cuEventElapsedTime"`,
		edit: edit{file: "gen/emit/funcs.go", old: "jen.Id(\"Symbol\").Op(\":\").Lit(f.Name)",
			new: "jen.Id(\"Symbol\").Op(\":\").Lit(strings.TrimSuffix(f.Name, \"_v2\"))"},
		also:  []edit{{file: "gen/emit/funcs.go", old: "import (\n", new: "import (\n\t\"strings\"\n\n"}},
		alone: true,
	},
	{
		name: "generator shifts bit-fields", finder: "TestLayout",
		says: `hipDeviceArch_t\.has3dGrid: Go: \d+ bits from bit`,
		edit: edit{file: "gen/emit/structs.go", in: ") renderBits(f",
			old: "part.Op(\"<<\").Lit(b.first)", new: "part.Op(\"<<\").Lit(b.first - 1)"},
	},
	{
		name: "generator shifts members of unions", finder: "TestLayout",
		says: `\w+: Go: 4 bytes at offset \d+; C: 4 at \d+`,
		edit: edit{file: "gen/emit/structs.go", in: ") renderAccessor(f",
			old: "if a.offset > 0 {\n\t\tat = jen.Qual(\"unsafe\", \"Add\").Call(at, jen.Lit(a.offset))",
			new: "if a.typ.size == 4 {\n" +
				"\t\tat = jen.Qual(\"unsafe\", \"Add\").Call(at, jen.Lit(a.offset+4))"},
	},
	{
		name: "generator makes all enums unsigned", finder: "go build",
		says: `constant -\d+ overflows|cannot use -`,
		edit: edit{file: "gen/emit/enums.go", in: ") base() string",
			old: `base = "int"`, new: `base = "uint"`},
		alone: true,
	},
	{
		name: "generator takes signed integers for unsigned ones", finder: "go build",
		says: `mismatched types uint32 and int32`,
		edit: edit{file: "gen/emit/types.go", in: `	"int": `, old: `builtin(kInt, "int32", 4),`,
			new: `builtin(kUint, "uint32", 4),`},
		alone: true,
	},
	{
		name: "generator names parameters in the wrong order", finder: "TestSource",
		says: `cuMemcpyDtoDAsync_v2\.\w+: the Go function calls it \w+, which is another parameter`,
		edit: edit{file: "gen/emit/func_plan.go", in: ") nameParams(",
			old: "n := argName(a.Name)", new: "n := argName(f.Params[len(f.Params)-1-i].Name)"},
		also: []edit{{file: "gen/emit/func_plan.go", in: ") nameParams(",
			old: "for _, a := range f.params {", new: "for i, a := range f.params {"}},
		alone: true,
	},
	{
		name: "generator leaves out a parameter of the proofs", finder: "TestOracle",
		needs: aCompiler, says: `C has \d+ parameters, the binding \d+`,
		edit: edit{file: "gen/emit/proof.go", in: ") proofFunction(",
			old: "for _, a := range fn.params {",
			new: "for _, a := range fn.params[:min(len(fn.params), 6)] {"},
	},
	{
		name: "generator gives the release before", finder: "TestSource",
		says: `cuGraphGetId: its entry says since`,
		edit: edit{file: "gen/emit/funcs.go", old: "p.introduced(f.Since)",
			new: "p.introduced(\"2.0\")"},
	},
	{
		name: "generator reads results from other slots", finder: "TestOracle", needs: aCompiler,
		says: `cuMemGetInfo_v2\.total: C wrote`,
		edit: edit{file: "gen/emit/body.go", in: "func (b *body) finish()",
			old: "Call(jen.Id(\"out\").Dot(\"At\").Call(jen.Lit(a.slot)))\n\t\t}",
			new: "Call(jen.Id(\"out\").Dot(\"At\").Call(jen.Lit(a.slot / 2)))\n\t\t}"},
	},
}
