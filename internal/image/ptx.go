package image

import (
	"bytes"
	"strings"
)

// ptx reads a PTX text. Only what stands outside of functions is looked at, and the heads of
// kernels.
type ptx struct {
	lexer
	version PTXVersion
	target  string
	address uint32 // bytes of a pointer
	kernels []Kernel
	globals []Global
	// elsewhere is whether what follows is defined in another text.
	elsewhere bool
}

func (im *Image) readPTX(b []byte) error {
	if hasPrefix(b, byteOrderMark) {
		return malformed("it begins with a byte order mark, which NVIDIA's compiler refuses: " +
			"remove it")
	}
	p, err := parsePTX(b)
	if err != nil {
		return err
	}
	im.PTXVersion, im.Kernels, im.Globals = p.version, p.kernels, p.globals
	im.Targets = []string{p.compute()}
	return nil
}

// compute is the target as the language of a virtual architecture, so that it differs from the name
// of machine code.
func (p *ptx) compute() string { return "compute_" + strings.TrimPrefix(p.target, "sm_") }

func parsePTX(b []byte) (*ptx, error) {
	p := &ptx{lexer: lexer{text: b}, address: 4} // by default, says the PTX ISA
	for {
		var err error
		switch p.next() {
		case "":
			return p, p.end(b)
		case ".version":
			err = p.readVersion()
		case ".target":
			p.readTarget()
		case ".address_size":
			if n, ok := p.number(); ok && (n == 32 || n == 64) {
				p.address = n / 8
			}
		case ".entry":
			err = p.readEntry()
		case ".extern":
			p.elsewhere = true
		case ";":
			p.elsewhere = false
		case "(": // of a function
			for token := "("; token != ")" && token != ""; {
				token = p.next()
			}
		case ".global", ".const":
			if !p.elsewhere {
				err = p.readGlobal()
			}
		case "{":
			if !p.skipGroup() {
				err = truncated("the text ends inside braces")
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// end checks what a whole text has.
func (p *ptx) end(b []byte) error {
	switch {
	case p.open != "":
		return truncated("the text ends inside %s", p.open)
	case p.at < len(b) && len(bytes.TrimRight(b[p.at:], "\x00 \t\r\n")) > 0:
		return malformed("a zero byte at %d, and more text after it", p.at)
	case p.target == "":
		return truncated("the text has no .target line")
	}
	return nil
}

func (p *ptx) readVersion() error {
	s := p.next() + p.next()
	v, ok := parsePTXVersion(s)
	if !ok {
		return malformed(".version %.20q is no version", s)
	}
	p.version = v
	return nil
}

func (p *ptx) readTarget() {
	for {
		if word := p.next(); strings.HasPrefix(word, "sm_") && p.target == "" {
			p.target = word
		}
		if !p.accept(",") {
			return
		}
	}
}

// readEntry reads a kernel from its name on.
func (p *ptx) readEntry() error {
	k := Kernel{Name: p.next(), ParamsKnown: true}
	if k.Name == "" || !inWord(k.Name[0]) {
		return malformed("an .entry without a name")
	}
	if p.accept("(") {
		if err := p.readParams(&k); err != nil {
			return err
		}
		if !k.ParamsKnown {
			k.Params, k.ParamSize = nil, 0
		}
	}
	for {
		switch token := p.next(); token {
		case "":
			return truncated("the text ends in kernel %s", k.Name)
		case ".maxntid":
			k.MaxThreads = volume(p.triple())
		case ".reqntid":
			k.Block = p.triple()
			k.MaxThreads = volume(k.Block)
		case ".reqnctapercluster":
			k.Cluster = p.triple()
		case ".pragma":
			for token != ";" && token != "" {
				token = p.next()
			}
		case ";": // declared, and defined elsewhere
			return nil
		case "{":
			if !p.skipGroup() {
				return truncated("the text ends in kernel %s", k.Name)
			}
			p.kernels = append(p.kernels, k)
			return nil
		}
	}
}

// volume is the product of three dimensions; 0 if it is more than any GPU allows.
func volume(v [3]uint32) uint32 {
	n := uint64(1)
	for _, d := range v {
		if n *= uint64(d); n > 1<<20 {
			return 0
		}
	}
	return uint32(n)
}

func (p *ptx) readParams(k *Kernel) error {
	if p.accept(")") {
		return nil
	}
	end := uint64(0)
	for {
		v, align, err := p.readParam(k)
		if err != nil {
			return err
		}
		if align == 0 { // a texture, which is no bytes that a launch passes
			k.ParamsKnown, v = false, Param{}
			align = 1
		}
		end = (end + uint64(align) - 1) &^ (uint64(align) - 1)
		v.Offset = uint32(end)
		if end += uint64(v.Size); end > 1<<31 {
			return malformed("the parameters of kernel %s take more than 2 GiB", k.Name)
		}
		k.Params, k.ParamSize = append(k.Params, v), uint32(end)
		switch p.next() {
		case ",":
		case ")":
			return nil
		case "":
			return truncated("the text ends in the parameters of kernel %s", k.Name)
		default:
			return malformed("parameter %d of kernel %s does not end", len(k.Params)-1, k.Name)
		}
	}
}

// scalars are the types of parameters: how many bytes, and what they hold.
var scalars = map[string]Param{".b8": {Size: 1}, ".b16": {Size: 2}, ".b32": {Size: 4},
	".b64": {Size: 8}, ".b128": {Size: 16, Kind: Bytes},
	".u8": {Size: 1, Kind: Integer}, ".s8": {Size: 1, Kind: Integer},
	".u16": {Size: 2, Kind: Integer}, ".s16": {Size: 2, Kind: Integer},
	".u32": {Size: 4, Kind: Integer}, ".s32": {Size: 4, Kind: Integer},
	".u64": {Size: 8, Kind: Integer}, ".s64": {Size: 8, Kind: Integer},
	".f16": {Size: 2, Kind: Bytes}, ".bf16": {Size: 2, Kind: Bytes}, ".f16x2": {Size: 4, Kind: Bytes},
	".f32": {Size: 4, Kind: Float}, ".f64": {Size: 8, Kind: Float},
	".texref": {}, ".samplerref": {}, ".surfref": {}}

// readParam reads one parameter and returns its alignment; 0 for a texture.
func (p *ptx) readParam(k *Kernel) (v Param, align uint32, err error) {
	bad := func(what string) (Param, uint32, error) {
		if p.at >= len(p.text) {
			return v, 0, truncated("the text ends in the parameters of kernel %s", k.Name)
		}
		return v, 0, malformed("parameter %d of kernel %s: %s", len(k.Params), k.Name, what)
	}
	typ, pointer := "", false
	for {
		token := p.next()
		s, scalar := scalars[token]
		switch {
		case token == ".align":
			n, ok := p.number()
			if !ok || n == 0 || n&(n-1) != 0 || n > 1<<16 {
				return bad("its alignment is no power of two")
			}
			if !pointer { // after .ptr it is of what is pointed at
				align = n
			}
		case token == ".ptr":
			pointer = true
		case scalar && typ == "":
			typ, v = token, s
		case token == "" || !inWord(token[0]) && token[0] != '.':
			return bad("it has no name")
		case token[0] != '.': // the name
			if typ == "" {
				return bad("it has no type")
			}
			align = max(align, v.Size)
			switch {
			case pointer:
				v.Kind = Pointer
			case typ == ".u64" && p.address == 8, typ == ".u32" && p.address == 4:
				v.Kind = Word
			}
			v, err = p.finishParam(k, v)
			return v, align, err
		}
	}
}

// finishParam reads what follows the name: the sizes of an array.
func (p *ptx) finishParam(k *Kernel, v Param) (Param, error) {
	size := uint64(v.Size)
	for p.accept("[") {
		n, ok := p.number()
		if !ok || !p.accept("]") {
			return v, malformed("parameter %d of kernel %s: its array has no size", len(k.Params),
				k.Name)
		}
		if size *= uint64(n); size > 1<<31 {
			return v, malformed("parameter %d of kernel %s is too large", len(k.Params), k.Name)
		}
		v.Kind = Bytes
	}
	v.Size = uint32(size)
	return v, nil
}
