package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// Texts of the specs use C names; those of the bindings Go names, where there are some.
func TestTextsUseGoNames(t *testing.T) {
	t.Parallel()
	from := spec{Rules: &rules.Rules{Binding: rules.Binding{Prefixes: rules.Prefixes{
		Functions: []string{"hip", "cu"}, Types: []string{"hip"}, Consts: []string{"CU_"}}}}}
	names := &namer{goOf: map[[2]string]string{
		{"func", "hipInit"}:                  "Init",
		{"func", "cuMemcpy_v2"}:              "Memcpy",
		{"const", "CU_LIMIT_STACK"}:          "LimitStack",
		{"type", "hipArray_t"}:               "Array",
		{"func", "__hipPushCallDescription"}: "PushCallDescription",
	}}
	p := newRenderer(&Plan{calls: &calls{typing: &typing{spec: from, namer: names}}})
	for _, tt := range []struct{ text, link, plain string }{
		{"call hipInit(0) first", "call [Init](0) first", "call Init(0) first"},
		{"raise CU_LIMIT_STACK", "raise [LimitStack]", "raise LimitStack"},
		{"see cuMemcpy_v2, hipArray_t", "see [Memcpy], [Array]", "see Memcpy, Array"},
		{"see __hipPushCallDescription", "see [PushCallDescription]", "see PushCallDescription"},
		{"CUDA_VISIBLE_DEVICES hides GPUs", "CUDA_VISIBLE_DEVICES hides GPUs",
			"CUDA_VISIBLE_DEVICES hides GPUs"},
		{"hip.Device.Do, or [Context.Do]", "hip.Device.Do, or [Context.Do]",
			"hip.Device.Do, or [Context.Do]"},
	} {
		assert.Equal(t, tt.link, p.inGo(tt.text, true))
		assert.Equal(t, tt.plain, p.inGo(tt.text, false))
	}
}
