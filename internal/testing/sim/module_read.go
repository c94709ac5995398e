package sim

func readImage(at *byte) (image []byte, p *program, err error) { panic("TODO") }
