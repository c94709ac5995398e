package nvrtc

// Available returns nil if programs can be compiled: there is a library. No GPU and no driver is
// needed. Otherwise the error is [ErrLibraryNotFound], with what was tried.
func Available() error {
	_, _, err := Version()
	return err
}
