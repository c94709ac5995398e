package event

// An unlocking recordLock stores the record and then reads the marks. Whoever sets a mark then
// reads whether the lock is held. At least one of the two must see the other, so both need a fence
// between their store and their read. Records are frequent, and marks are rarely set while one is
// in flight. So where the kernel can fence all threads of the process at once, who sets a mark asks
// it to, and unlocking needs no fence of its own. On amd64 that saves what a locked instruction
// costs.
//
// Linux can since 4.14 (membarrier(2)). Where it can't or may not, on other systems, and on arm64,
// where a store that can't be reordered with later loads is cheap, the store is such a store.
