module github.com/gpuevent/gpuevent/tools/simlib

go 1.26

require github.com/gpuevent/gpuevent v0.0.0

require github.com/ebitengine/purego v0.11.3 // indirect

replace github.com/gpuevent/gpuevent => ../..
