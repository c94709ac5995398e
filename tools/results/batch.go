package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/tools/results/plot"
)

// errTable is the error for a page whose table can't be read.
var errTable = errors.New("no table of numbers")

// drawBatch draws what several calls in one crossing cost, from the first table of batch.md.
func drawBatch(file string) (section, error) {
	lines, date, err := readTable(file)
	if err != nil {
		return section{}, fmt.Errorf("%s: %w", file, err)
	}
	picked := plot.Panel{
		X:     plot.Axis{Label: "calls in one batch", Log: true, Wide: true},
		Y:     plot.Axis{Label: "time per call", Unit: plot.Nanoseconds, Log: true},
		Lines: lines,
	}
	svg, err := plot.Lines{
		Title:  "Several calls in one crossing",
		Below:  "Time per record of an event, medians of 6 runs, " + date,
		Panels: []plot.Panel{picked},
		Height: 300,
	}.SVG()
	if err != nil {
		return section{}, fmt.Errorf("%s: %w", file, err)
	}
	return section{
		title: "Calls in one crossing",
		before: "From the first table of [batch.md](batch.md), which says how it was measured. One " +
			"crossing each is flat. A batch of many costs what a loop in C costs and a few nanoseconds.",
		pictures: []picture{{"batch.svg", "Time per call over the number of calls in a batch",
			"Both scales are logarithmic.", svg}},
	}, nil
}

var dated = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// readTable reads the first table of a page: a line for each column but the first, which has the x.
func readTable(file string) (lines []plot.Line, date string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	var rows [][]string
	s := bufio.NewScanner(f)
	for s.Scan() {
		if date == "" {
			date = dated.FindString(s.Text())
		}
		if strings.HasPrefix(s.Text(), "|") {
			row := strings.Split(strings.Trim(s.Text(), "| "), "|")
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			rows = append(rows, row)
		} else if len(rows) > 0 {
			break
		}
	}
	if err := s.Err(); err != nil {
		return nil, "", err
	}
	if len(rows) < 4 || len(rows[0]) < 2 {
		return nil, "", fmt.Errorf("%w: the first has %d lines", errTable, len(rows))
	}
	for column, name := range rows[0] {
		if column == 0 || strings.Contains(name, " / ") { // a ratio
			continue
		}
		line := plot.Line{Name: name}
		for _, row := range rows[2:] {
			if len(row) != len(rows[0]) {
				return nil, "", fmt.Errorf("%w: %d columns below %d", errTable, len(row), len(rows[0]))
			}
			for i, to := range map[int]*[]float64{0: &line.X, column: &line.Y} {
				v, err := strconv.ParseFloat(row[i], 64)
				if err != nil {
					return nil, "", fmt.Errorf("%w: %w", errTable, err)
				}
				*to = append(*to, v)
			}
		}
		lines = append(lines, line)
	}
	return lines, date, nil
}
