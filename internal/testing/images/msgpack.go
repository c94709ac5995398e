package images

import "encoding/binary"

// fields is a map whose order is kept.
type fields []field

type field struct {
	key   string
	value any
}

// pack writes a value in MessagePack.
func pack(b []byte, value any) []byte {
	be := binary.BigEndian
	switch v := value.(type) {
	case nil:
		return append(b, 0xc0)
	case bool:
		if v {
			return append(b, 0xc3)
		}
		return append(b, 0xc2)
	case int:
		return pack(b, uint32(v))
	case uint32:
		switch {
		case v < 0x80:
			return append(b, byte(v))
		case v < 1<<8:
			return append(b, 0xcc, byte(v))
		case v < 1<<16:
			return be.AppendUint16(append(b, 0xcd), uint16(v))
		}
		return be.AppendUint32(append(b, 0xce), v)
	case string:
		return append(sized(b, len(v), 32, 0xa0, 0xda), v...)
	case []any:
		b = sized(b, len(v), 16, 0x90, 0xdc)
		for _, item := range v {
			b = pack(b, item)
		}
		return b
	case fields:
		b = sized(b, len(v), 16, 0x80, 0xde)
		for _, f := range v {
			b = pack(pack(b, f.key), f.value)
		}
		return b
	}
	panic("images: a value that MessagePack has no type for here")
}

// sized writes how many bytes or items follow, in the short form below a limit.
func sized(b []byte, n, limit int, short, long byte) []byte {
	if n < limit {
		return append(b, short|byte(n))
	}
	return binary.BigEndian.AppendUint16(append(b, long), uint16(n))
}
