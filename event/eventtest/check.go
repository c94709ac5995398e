package eventtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
)

// checks end the test if something is wrong. They report the wanted value, the value found and the
// statement. They are implemented here so that importing this package adds no other module.
// Trailing arguments are printed as by fmt.Sprint, or fmt.Sprintf if the first is a format.
type checks struct{ t failer }

// failer is what checks use of a test.
type failer interface {
	Helper()
	Fatal(...any)
}

// fail ends the test.
func (c checks) fail(words []any, format string, args ...any) {
	c.t.Helper()
	text := fmt.Sprintf(format, args...)
	if w := sentence(words); w != "" {
		text = w + ": " + text
	}
	if s := statement(3); s != "" {
		text += "\n\tof " + s
	}
	c.t.Fatal(text)
}

// sentence formats the trailing arguments of a check.
func sentence(words []any) string {
	if len(words) == 0 {
		return ""
	}
	if format, ok := words[0].(string); ok && len(words) > 1 {
		return fmt.Sprintf(format, words[1:]...)
	}
	return fmt.Sprint(words...)
}

// statement returns the source line that made a check; "" if the source is not available.
func statement(skip int) string {
	_, file, line, ok := runtime.Caller(skip)
	if !ok {
		return ""
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	lines := bytes.Split(source, []byte("\n"))
	if line > len(lines) {
		return ""
	}
	return string(bytes.TrimSpace(lines[line-1]))
}

// show prints a value so that two that differ look different.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case error:
		return fmt.Sprintf("the error %q", v.Error())
	case fmt.Stringer:
		if r := reflect.ValueOf(v); r.Kind() != reflect.Pointer || !r.IsNil() {
			return fmt.Sprintf("%v (%T)", v, v)
		}
	}
	return fmt.Sprintf("%#v", v)
}

// FailNow ends the test.
func (c checks) FailNow(what string, words ...any) {
	c.t.Helper()
	c.fail(words, "%s", what)
}

// NoError wants no error.
func (c checks) NoError(err error, words ...any) {
	c.t.Helper()
	if err != nil {
		c.fail(words, "want no error, got %s", show(err))
	}
}

// Error wants any error.
func (c checks) Error(err error, words ...any) {
	c.t.Helper()
	if err == nil {
		c.fail(words, "want an error, got none")
	}
}

// ErrorIs wants an error with this cause.
func (c checks) ErrorIs(err, cause error, words ...any) {
	c.t.Helper()
	if !errors.Is(err, cause) {
		c.fail(words, "want an error that is %q, got %s", cause, show(err))
	}
}

// NotErrorIs wants no error with this cause.
func (c checks) NotErrorIs(err, cause error, words ...any) {
	c.t.Helper()
	if errors.Is(err, cause) {
		c.fail(words, "want no error that is %q, got %s", cause, show(err))
	}
}

// ErrorAs wants an error of the type that target points to, and sets target.
func (c checks) ErrorAs(err error, target any, words ...any) {
	c.t.Helper()
	if !errors.As(err, target) {
		c.fail(words, "want an error of type %v, got %s", reflect.TypeOf(target).Elem(), show(err))
	}
}

// ErrorContains wants an error with this text in it.
func (c checks) ErrorContains(err error, text string, words ...any) {
	c.t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		c.fail(words, "want an error that says %q, got %s", text, show(err))
	}
}

// True wants true.
func (c checks) True(got bool, words ...any) {
	c.t.Helper()
	if !got {
		c.fail(words, "want true, got false")
	}
}

// False wants false.
func (c checks) False(got bool, words ...any) {
	c.t.Helper()
	if got {
		c.fail(words, "want false, got true")
	}
}

// Equal wants a value of the same type and contents.
func (c checks) Equal(want, got any, words ...any) {
	c.t.Helper()
	if !reflect.DeepEqual(want, got) {
		c.fail(words, "want %s, got %s", show(want), show(got))
	}
}

// NotEqual wants another value.
func (c checks) NotEqual(other, got any, words ...any) {
	c.t.Helper()
	if reflect.DeepEqual(other, got) {
		c.fail(words, "want anything but %s", show(got))
	}
}

// EqualValues wants a value equal to want converted to the value's type.
func (c checks) EqualValues(want, got any, words ...any) {
	c.t.Helper()
	w, g := reflect.ValueOf(want), reflect.TypeOf(got)
	if g == nil || !w.CanConvert(g) || !reflect.DeepEqual(w.Convert(g).Interface(), got) {
		c.fail(words, "want %s, got %s", show(want), show(got))
	}
}

// Same wants the same pointer.
func (c checks) Same(want, got any, words ...any) {
	c.t.Helper()
	if want != got {
		c.fail(words, "want the same pointer, to %s, got %s", show(want), show(got))
	}
}

// NotSame wants another pointer.
func (c checks) NotSame(other, got any, words ...any) {
	c.t.Helper()
	if other == got {
		c.fail(words, "want another pointer than that to %s", show(got))
	}
}

// Zero wants the zero value of its type.
func (c checks) Zero(got any, words ...any) {
	c.t.Helper()
	if got != nil && !reflect.ValueOf(got).IsZero() {
		c.fail(words, "want the zero value, got %s", show(got))
	}
}

// NotZero wants a value that is not the zero value.
func (c checks) NotZero(got any, words ...any) {
	c.t.Helper()
	if got == nil || reflect.ValueOf(got).IsZero() {
		c.fail(words, "want another value than zero, got %s", show(got))
	}
}

// Nil wants a nil pointer or interface.
func (c checks) Nil(got any, words ...any) {
	c.t.Helper()
	if got != nil && !reflect.ValueOf(got).IsZero() {
		c.fail(words, "want nil, got %s", show(got))
	}
}

// length returns the number of elements.
func length(v any) int {
	if v == nil {
		return 0
	}
	return reflect.ValueOf(v).Len()
}

// Len wants this many elements.
func (c checks) Len(got any, want int, words ...any) {
	c.t.Helper()
	if n := length(got); n != want {
		c.fail(words, "want %d elements, got %d: %s", want, n, show(got))
	}
}

// Empty wants no elements: of a string, a slice, a map or a channel.
func (c checks) Empty(got any, words ...any) {
	c.t.Helper()
	if length(got) != 0 {
		c.fail(words, "want it empty, got %s", show(got))
	}
}

// NotEmpty wants elements.
func (c checks) NotEmpty(got any, words ...any) {
	c.t.Helper()
	if length(got) == 0 {
		c.fail(words, "want it not empty, got %s", show(got))
	}
}

// has reports whether a string contains the part, or a slice the element.
func has(all, part any) bool {
	if s, ok := all.(string); ok {
		return strings.Contains(s, part.(string))
	}
	for _, element := range reflect.ValueOf(all).Seq2() {
		if reflect.DeepEqual(element.Interface(), part) {
			return true
		}
	}
	return false
}

// Contains wants a string to contain a part, or a slice to contain an element.
func (c checks) Contains(all, part any, words ...any) {
	c.t.Helper()
	if !has(all, part) {
		c.fail(words, "want %s in %s", show(part), show(all))
	}
}

// NotContains wants a string not to contain a part, or a slice not to contain an element.
func (c checks) NotContains(all, part any, words ...any) {
	c.t.Helper()
	if has(all, part) {
		c.fail(words, "want no %s in %s", show(part), show(all))
	}
}

// Regexp wants a text that matches the expression.
func (c checks) Regexp(expression *regexp.Regexp, got string, words ...any) {
	c.t.Helper()
	if !expression.MatchString(got) {
		c.fail(words, "want a text that matches %q, got %q", expression, got)
	}
}

// number is a value of a numeric type.
func number(v any) float64 {
	return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float()
}

// Positive wants a number above 0.
func (c checks) Positive(got any, words ...any) {
	c.t.Helper()
	if number(got) <= 0 {
		c.fail(words, "want more than 0, got %s", show(got))
	}
}

// GreaterOrEqual wants at least this number.
func (c checks) GreaterOrEqual(got, least any, words ...any) {
	c.t.Helper()
	if number(got) < number(least) {
		c.fail(words, "want at least %s, got %s", show(least), show(got))
	}
}

// LessOrEqual wants at most this number.
func (c checks) LessOrEqual(got, most any, words ...any) {
	c.t.Helper()
	if number(got) > number(most) {
		c.fail(words, "want at most %s, got %s", show(most), show(got))
	}
}

// IsIncreasing wants each element to be greater than the one before it.
func (c checks) IsIncreasing(got any, words ...any) {
	c.t.Helper()
	all := reflect.ValueOf(got)
	for i := 1; i < all.Len(); i++ {
		if number(all.Index(i-1).Interface()) >= number(all.Index(i).Interface()) {
			c.fail(words, "want element %d to be more than element %d, got %s", i, i-1, show(got))
		}
	}
}

// NotPanics wants f to return.
func (c checks) NotPanics(f func(), words ...any) {
	c.t.Helper()
	defer func() {
		c.t.Helper()
		if v := recover(); v != nil {
			c.fail(words, "want no panic, got one with %s", show(v))
		}
	}()
	f()
}
