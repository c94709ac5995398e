package host

import "math/bits"

// The file of an arena is extended by chunks: 64 KiB, 128 KiB up to 4 MiB, and 4 MiB each from then
// on. So a process with few events needs little memory and one with many few mappings.
const (
	minChunk   = 64 << 10
	growChunks = 6 // the number of times the size doubles
	maxChunk   = minChunk << growChunks
	maxChunks  = 4096 // 16 GiB
)

// chunkAt returns the chunk that has an offset.
func chunkAt(offset uint64) int {
	k := bits.Len64(offset/minChunk+1) - 1
	if k <= growChunks {
		return k
	}
	return growChunks + int((offset-(maxChunk-minChunk))/maxChunk)
}

// chunkRange returns where a chunk begins and how long it is.
func chunkRange(k int) (base, size uint64) {
	if k <= growChunks {
		return minChunk<<k - minChunk, minChunk << k
	}
	return maxChunk - minChunk + uint64(k-growChunks)*maxChunk, maxChunk
}
