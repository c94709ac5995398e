package dl

import "os"

// getenv returns an environment variable, or "" if the process has more rights than the user who
// started it.
func getenv(name string) string {
	if elevated() {
		return ""
	}
	return os.Getenv(name)
}

// ignored lists the variables that are set but ignored, as attempts.
func ignored(names []string) (attempts []Attempt) {
	if !elevated() {
		return nil
	}
	for _, name := range names {
		if os.Getenv(name) != "" {
			attempts = append(attempts, Attempt{Path: name, Reason: "the variable is ignored, " +
				"because the program runs with more rights than the user who started it (setuid, setgid or " +
				"file capabilities)"})
		}
	}
	return attempts
}

// Elevated reports whether the process has rights that the user who started it lacks: setuid,
// setgid, file capabilities or those of a security module.
func Elevated() bool { return elevated() }
