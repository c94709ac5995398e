//go:build !(((linux && !android) || windows) && (amd64 || arm64))

package dl

// Neither vendor ships a library for this platform; a path from the user still works.
func cudaCandidates() []string { return nil }

func hipCandidates() []string { return nil }

var hipVariables []string
