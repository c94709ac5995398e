module github.com/gpuevent/gpuevent/tools/simlib

go 1.26

require (
	github.com/gpuevent/gpuevent v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/gpuevent/gpuevent => ../..
