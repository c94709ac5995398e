package dl

import "os"

// getenv returns an environment variable of the user who started the process, "" if that user is
// not to be trusted.
func getenv(name string) string {
	if elevated() {
		return ""
	}
	return os.Getenv(name)
}

// ignored lists those of the variables that are set and ignored, as attempts.
func ignored(names []string) (attempts []Attempt) {
	if !elevated() {
		return nil
	}
	for _, name := range names {
		if os.Getenv(name) != "" {
			attempts = append(attempts, Attempt{name, "the variable is ignored, " +
				"for the program runs with more rights than who started it (setuid, setgid or file capabilities)"})
		}
	}
	return attempts
}
