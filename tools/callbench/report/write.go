package report

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes calls.md and calls.json to a folder, which is made if it is not there.
// "make plots" draws calls.svg from these.
func (r Report) Write(folder string) error {
	markdown, err := r.Markdown()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"calls.md": markdown, "calls.json": string(data) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
