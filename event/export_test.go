package event

// DropsUnderWay counts the handles that are being destroyed on goroutines of their own.
func DropsUnderWay() int64 { return aside.Load() }
