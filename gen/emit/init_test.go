package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// versioned is an API with a struct that begins with its version, another name for it, and macros.
func versioned(rule string) *small {
	s := newSmall("1.0")
	s.structure("miniInfo_v2_t", span("1.0", ""), layout{24, 8, []int{0, 4, 8, 16},
		[]string{"unsigned int version", "int limit", "const char * name", "float share"}})
	s.alias("miniInfo_t", "miniInfo_v2_t", span("1.0", ""))
	s.function("miniGetInfo", span("1.0", ""), "miniInfo_t * info")
	for name, value := range map[string]string{"miniInfo_v2": "0x2000018",
		"MINI_UNDEF": "-2147483648"} {
		s.Consts = append(s.Consts, model.Const{Name: name, Span: span("1.0", ""), Kind: "int",
			Value: value})
	}
	s.toml = "[init." + rule
	return s
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ rule, want string }{
		"a macro": {"miniInfo_v2_t]\nversion = \"miniInfo_v2\"\n",
			"func NewInfoV2() InfoV2 { return InfoV2{ Version: MiniInfoV2, } }"},
		"size and version": {"miniInfo_v2_t]\nversion = \"sizeof|0x2000000\"\n",
			"{ Version: uint32(unsafe.Sizeof(InfoV2{}) | 0x2000000), }"},
		"numbers": {"miniInfo_v2_t]\nversion = 7\nshare = -1.5\n", "{ Version: 7, Share: -1.5, }"},
		"all other ints": {"miniInfo_v2_t]\nversion = \"sizeof\"\n\"*\" = \"MINI_UNDEF\"\n",
			"{ Version: uint32(unsafe.Sizeof(InfoV2{})), Limit: Undef, }"},
		"by the name of a typedef": {"miniInfo_t]\nversion = \"miniInfo_v2\"\n",
			"func NewInfo() Info { return Info{ Version: MiniInfoV2, } }"},
	} {
		p, err := versioned(tc.rule).plan(t)
		require.NoError(t, err, name)
		text := strings.Join(strings.Fields(source(t, p, "zstructs.go")), " ")
		assert.Contains(t, text, tc.want, name)
		assert.Contains(t, text, "which sets the fields that C checks", name)
	}
}

func TestConstructorsThatCanNotBe(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"miniNone]\nversion = 1\n":               `no struct is named "miniNone"`,
		"miniInfo_t]\nversions = 1\n":            `miniInfo_t has no member "versions"`,
		"miniInfo_t]\nversion = \"MINI_NONE\"\n": `no macro or enumerator is named "MINI_NONE"`,
		"miniInfo_t]\nversion = \"MINI_UNDEF\"\n": "version: MINI_UNDEF, -2147483648, does not fit " +
			"uint32",
		"miniInfo_t]\nversion = 4294967296\n": "version: 4294967296 does not fit uint32",
		"miniInfo_t]\nname = 1\n":             "only numbers can be preset, and it is *byte",
	} {
		_, err := versioned(rule).plan(t)
		assert.ErrorContains(t, err, want, rule)
	}
}
