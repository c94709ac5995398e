package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// largest is more than a report of a machine with many devices has.
const largest = 32 << 20

// Read reads a report and checks it.
func Read(in io.Reader) (*Report, error) {
	data, err := io.ReadAll(io.LimitReader(in, largest+1))
	if err != nil {
		return nil, err
	}
	if len(data) > largest {
		return nil, fmt.Errorf("%w: it is larger than %d MiB", ErrAbsurd, largest>>20)
	}
	var head struct {
		Kind   string `json:"kind"`
		Schema int    `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotReport, err)
	}
	switch {
	case head.Kind != Kind:
		return nil, fmt.Errorf("%w: its kind is %q instead of %q", ErrNotReport, head.Kind, Kind)
	case head.Schema < 1:
		return nil, fmt.Errorf("%w: it has no schema", ErrNotReport)
	case head.Schema > Schema:
		return nil, fmt.Errorf("%w: its schema is %d, and this program knows %d", ErrNewerSchema,
			head.Schema, Schema)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	r := new(Report)
	if err := decoder.Decode(r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotReport, err)
	}
	return r, r.Check()
}

// ReadFile reads a report from a file and checks it.
func ReadFile(name string) (*Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// JSON is the report as it is written to gpu-kit.json.
func (r *Report) JSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(r)
	return out.Bytes(), err
}
