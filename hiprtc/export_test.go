package hiprtc

// Comgr is the compiler behind hipRTC.
var Comgr = &comgr
