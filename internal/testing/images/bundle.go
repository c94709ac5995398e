package images

import (
	"bytes"
	"compress/zlib"
)

// Bundle makes a clang offload bundle for HIP: an empty entry for the host, and the parts.
func Bundle(parts ...Part) []byte {
	ids := []string{"host-x86_64-unknown-linux-gnu-"}
	data := [][]byte{nil}
	for _, p := range parts {
		ids = append(ids, "hipv4-amdgcn-amd-amdhsa--"+p.Target)
		data = append(data, p.Data)
	}
	return bundle(ids, data)
}

// SPIRVBundle makes a bundle as clang does for chipStar, with a SPIR-V module that has nothing in
// it.
func SPIRVBundle() []byte {
	var module []byte
	for _, word := range []uint32{0x07230203, 0x00010200, 0, 1, 0} {
		module = le.AppendUint32(module, word)
	}
	return bundle([]string{"host-x86_64-unknown-linux-gnu-", "hip-spirv64-unknown-unknown--"},
		[][]byte{nil, module})
}

// HostObject makes an object file for x86-64 with a bundle in it, as clang makes of a HIP source.
func HostObject(bundle []byte) []byte {
	return elf(62, 0, 0, 0, []section{{name: ".text", kind: 1, data: make([]byte, 16)},
		{name: ".hip_fatbin", kind: 1, data: bundle}})
}

func bundle(ids []string, data [][]byte) []byte {
	header := len("__CLANG_OFFLOAD_BUNDLE__") + 8
	for _, id := range ids {
		header += 24 + len(id)
	}
	b := []byte("__CLANG_OFFLOAD_BUNDLE__")
	b = le.AppendUint64(b, uint64(len(ids)))
	at := page(header)
	for i, id := range ids {
		b = le.AppendUint64(b, uint64(at))
		b = le.AppendUint64(b, uint64(len(data[i])))
		b = le.AppendUint64(b, uint64(len(id)))
		b = append(b, id...)
		at = page(at + len(data[i]))
	}
	for _, d := range data {
		b = append(b, make([]byte, page(len(b))-len(b))...)
		b = append(b, d...)
	}
	return b
}

// page rounds up to where the bundler begins an entry.
func page(n int) int { return (n + 4095) &^ 4095 }

// CompressedBundle makes a bundle of clang's compressed format, of version 1, 2 or 3, by zlib.
func CompressedBundle(version uint16, bundle []byte) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write(bundle); err != nil {
		panic(err) // a buffer takes all
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return compressed(version, 0, len(bundle), z.Bytes())
}

// ZstdBundle makes the header of a bundle that says that zstd compressed the data after it.
func ZstdBundle(version uint16, size int, data []byte) []byte {
	return compressed(version, 1, size, data)
}

func compressed(version, method uint16, size int, data []byte) []byte {
	b := le.AppendUint16([]byte("CCOB"), version)
	b = le.AppendUint16(b, method)
	switch version {
	case 1:
		b = le.AppendUint32(b, uint32(size))
	case 2:
		b = le.AppendUint32(b, uint32(24+len(data)))
		b = le.AppendUint32(b, uint32(size))
	default:
		b = le.AppendUint64(b, uint64(32+len(data)))
		b = le.AppendUint64(b, uint64(size))
	}
	b = le.AppendUint64(b, 0) // a hash, which nothing checks
	return append(b, data...)
}
