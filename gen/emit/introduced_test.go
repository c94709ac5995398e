package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// Where headers were not read, all that is known is between which two something came.
func TestVersionsBetweenHeadersThatWereRead(t *testing.T) {
	t.Parallel()
	p := spec{Rules: &rules.Rules{}, Model: &model.Model{}}
	p.Rules.Binding.Vendor = "V"
	p.Rules.Binding.Header.Version.Releases = map[string]string{"10.0": "7.15"}
	for _, name := range []string{"5.7", "6.0", "6.1", "6.4", "7.0", "7.15"} {
		p.Model.Versions = append(p.Model.Versions, model.Version{Name: name})
	}
	for _, tt := range []struct{ since, words, doc, removed string }{
		{"3.2", "3.2", "Since V 3.2.", "Deprecated: removed from the headers in V 3.2."}, // a table's
		{"5.7", "5.7 or earlier", "Since V 5.7 or earlier.",
			"Deprecated: removed from the headers in V 5.7 or earlier."},
		{"6.0", "6.0", "Since V 6.0.", "Deprecated: removed from the headers in V 6.0."},
		{"6.1", "6.1", "Since V 6.1.", "Deprecated: removed from the headers in V 6.1."},
		{"6.4", "after 6.1, by 6.4", "Introduced after V 6.1, by 6.4.",
			"Deprecated: removed from the headers after V 6.1, by 6.4."},
		{"7.0", "7.0", "Since V 7.0.", "Deprecated: removed from the headers in V 7.0."},
		{"7.15", "after 7.0, by 7.15 (V 10.0)", "Introduced after V 7.0, by 7.15 (V 10.0).",
			"Deprecated: removed from the headers after V 7.0, by 7.15 (V 10.0)."},
	} {
		assert.Equal(t, tt.words, p.introduced(tt.since))
		assert.Equal(t, tt.doc, p.since(model.Span{Since: tt.since}))
		assert.Equal(t, tt.removed, p.deprecated(model.Span{Removed: tt.since}, ""))
	}
	exact := model.Span{Since: "5.7", Exact: true}
	assert.Equal(t, "5.7", p.began(exact), "a vendor's table names it")
	assert.Equal(t, "Since V 5.7.", p.since(exact))
	assert.Equal(t, "5.7 or earlier", p.began(model.Span{Since: "5.7"}))
	assert.Equal(t, "Deprecated: by the vendor, after V 6.1, by 6.4.",
		p.deprecated(model.Span{Deprecated: "6.4"}, ""))
	assert.Equal(t, "Deprecated: by the vendor since V 6.0.",
		p.deprecated(model.Span{Deprecated: "6.0"}, ""))
	assert.Equal(t, ", after 6.1, by 6.4", p.sinceNote("6.4"))
	assert.Equal(t, ", since 6.0", p.sinceNote("6.0"))
}
