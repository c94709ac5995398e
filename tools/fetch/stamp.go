package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

const stampName = ".stamp.json"

// Stamp says what a version folder was made from and what it holds.
type Stamp struct {
	Recipe string `json:"recipe"` // checksum of pins and rules
	Files  []File `json:"files"`
}

// recipe is the checksum of everything that decides what ends up in the folder.
func recipe(set Set, rules []Rule) (string, error) {
	type step struct {
		Pin  Pin
		Rule Rule
	}
	var steps []step
	for _, p := range set.Pins {
		rule, _ := ruleFor(rules, set.API, p.Name())
		steps = append(steps, step{p, rule})
	}
	text, err := json.Marshal(steps)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// readStamp returns the stamp of a folder if the folder still is what the stamp says.
func readStamp(folder, wantRecipe string) (*Stamp, bool) {
	text, err := os.ReadFile(filepath.Join(folder, stampName))
	if err != nil {
		return nil, false
	}
	stamp := new(Stamp)
	if json.Unmarshal(text, stamp) != nil || stamp.Recipe != wantRecipe || len(stamp.Files) == 0 {
		return nil, false
	}
	for _, f := range stamp.Files {
		if safeName(f.Path) != nil {
			return nil, false
		}
		if sum, err := fileSum(filepath.Join(folder, filepath.FromSlash(f.Path))); err != nil ||
			sum != f.SHA256 {
			return nil, false
		}
	}
	return stamp, true
}

// writeStamp seals a folder.
func writeStamp(folder string, stamp *Stamp) error {
	text, err := json.MarshalIndent(stamp, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, stampName), append(text, '\n'), 0o644)
}
