package hip

import "github.com/gpuevent/gpuevent/internal/callback"

// SetPanicHandler sets who hears of a panic in a callback, which is stopped before it could reach C: name is the callback's C type, stack
// where it happened. The default logs it with [log/slog] at level Error; nil restores that. The handler is called on the callback's
// thread and must not call the vendor's library. It is one for the process: cudrv and hip share it.
func SetPanicHandler(h func(name string, value any, stack []byte)) { callback.SetPanicHandler(h) }
