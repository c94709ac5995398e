package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// page writes a report's page and its picture.
func (s Store) page(r kept) error {
	below := fmt.Sprintf("Nobody edits this page. It is written from the report:\n[data](%s.json).",
		r.name)
	picture, err := r.picture()
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	path := filepath.Join(s.dir(), r.name)
	if picture != nil {
		if err := os.WriteFile(path+".svg", picture, 0o644); err != nil {
			return err
		}
		below += fmt.Sprintf("\n\n![Times](%s.svg)", r.name)
	}
	title := fmt.Sprintf("%s, %s, %s", r.card.Model, r.card.Driver, r.Began.Format(time.DateOnly))
	return os.WriteFile(path+".md", []byte(r.Markdown(title, below)), 0o644)
}
