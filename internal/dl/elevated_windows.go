package dl

// elevated is false: Windows starts no program with the rights of its file's owner.
func elevated() bool { return false }
