module github.com/gpuevent/gpuevent/tools/callbench

go 1.26

require (
	github.com/ebitengine/purego v0.11.3
	github.com/gpuevent/gpuevent v0.0.0
)

replace github.com/gpuevent/gpuevent => ../..
