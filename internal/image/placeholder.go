package image

// Placeholder of branch c-image's package.

type ParamKind uint8
type Param struct {
	Offset, Size uint32
	Kind         ParamKind
}
