package timeline

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// traceEvent is an event of the format.
type traceEvent struct {
	name, category string
	phase, scope   byte
	pid, tid       int
	at, length     time.Duration // a length is of phase X only
	id             uint64        // of the two events of an asynchronous span
	flow           uint64        // of an arrow
	out, in        bool          // whether the arrow begins or ends in this event
	args           []Attr
}

// appendTo appends the event as JSON.
func (e *traceEvent) appendTo(b []byte) []byte {
	b = appendText(append(b, `{"name":`...), e.name)
	if e.category != "" {
		b = appendText(append(b, `,"cat":`...), e.category)
	}
	b = append(b, `,"ph":"`...)
	b = append(b, e.phase)
	b = strconv.AppendInt(append(b, `","pid":`...), int64(e.pid), 10)
	b = strconv.AppendInt(append(b, `,"tid":`...), int64(e.tid), 10)
	b = appendMicros(append(b, `,"ts":`...), e.at)
	if e.phase == 'X' {
		b = appendMicros(append(b, `,"dur":`...), e.length)
	}
	if e.id != 0 { // one of a process: events with a plain id are in none
		b = appendHex(append(b, `,"id2":{"local":`...), e.id)
		b = append(b, '}')
	}
	if e.scope != 0 {
		b = append(b, `,"s":"`...)
		b = append(b, e.scope, '"')
	}
	if e.flow != 0 {
		b = appendHex(append(b, `,"bind_id":`...), e.flow)
	}
	if e.out {
		b = append(b, `,"flow_out":true`...)
	}
	if e.in {
		b = append(b, `,"flow_in":true`...)
	}
	if len(e.args) > 0 {
		b = appendObject(append(b, `,"args":`...), e.args)
	}
	return append(b, '}')
}

// appendObject appends attributes as members of an object.
func appendObject(b []byte, attrs []Attr) []byte {
	b = append(b, '{')
	for i, a := range attrs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, a.Key), ':')
		switch v := a.number(); {
		case a.kind == intAttr:
			b = strconv.AppendInt(b, int64(a.bits), 10)
		case a.kind == boolAttr:
			b = strconv.AppendBool(b, a.bits != 0)
		case a.kind == floatAttr && finite(v):
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		default: // JSON has no other numbers
			b = appendText(b, a.valueText())
		}
	}
	return append(b, '}')
}

// appendMicros appends a time in microseconds with three digits.
func appendMicros(b []byte, d time.Duration) []byte {
	ns := d.Nanoseconds()
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1000, 10)
	rest := ns % 1000
	return append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

func appendHex(b []byte, id uint64) []byte {
	return append(strconv.AppendUint(append(b, `"0x`...), id, 16), '"')
}

// appendText appends a text with no more escapes than it must have. Perfetto before version 53
// shows some escapes as they are written, and can't read two backslashes before a quote.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			b = append(b, '\\', '"')
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\\' || c < ' ':
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r) // U+FFFD for what is none
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}
