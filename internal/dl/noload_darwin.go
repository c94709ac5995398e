package dl

// noLoad is RTLD_NOLOAD: open only what the process has loaded already.
const noLoad = 0x10
