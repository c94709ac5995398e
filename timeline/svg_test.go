package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shape is an element of a picture.
type shape struct {
	name  string
	attrs map[string]string
	text  string
}

func (s shape) number(t *testing.T, key string) float64 {
	n, err := strconv.ParseFloat(s.attrs[key], 64)
	require.NoError(t, err, "%v", s)
	return n
}

// shapes parses a picture.
func shapes(t *testing.T, data []byte) (all []shape) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			s := shape{x.Name.Local, map[string]string{}, ""}
			for _, a := range x.Attr {
				s.attrs[a.Name.Local] = a.Value
			}
			all = append(all, s)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += string(x)
			}
		}
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	shot := pictured(t)
	for name, p := range map[string]Picture{
		"all":    {Title: `a <title> & "more"`},
		"narrow": {Width: 1},
		"part":   {Width: 800, From: time.Second, To: 20 * time.Second},
	} {
		var data bytes.Buffer
		require.NoError(t, shot.WriteSVG(&data, p), name)
		all := shapes(t, data.Bytes())
		width, height := all[0].number(t, "width"), all[0].number(t, "height")
		count := map[string]int{}
		type row struct{ y, left, right float64 }
		var rows []row
		for _, s := range all {
			count[s.attrs["class"]]++
			switch s.attrs["class"] {
			case "span", "wait", "async":
				r := row{s.number(t, "y"), s.number(t, "x"), s.number(t, "x") + s.number(t, "width")}
				assert.GreaterOrEqual(t, r.left, float64(labelWidth)-0.01, name)
				assert.LessOrEqual(t, r.right, width-rightMargin+0.51, name)
				assert.LessOrEqual(t, r.y+rowHeight, height, name)
				for _, o := range rows {
					assert.False(t, o.y == r.y && r.left+0.51 < o.right && o.left+0.51 < r.right,
						"%s: two spans at one place: %v, %v", name, o, r)
				}
				rows = append(rows, r)
			case "tick":
				assert.GreaterOrEqual(t, s.number(t, "x1"), float64(labelWidth)-0.01)
				assert.LessOrEqual(t, s.number(t, "x1"), width-rightMargin+0.01)
			}
		}
		assert.Positive(t, count["tick"], name)
		if name != "all" {
			continue
		}
		assert.Equal(t, map[string]int{"span": 6, "wait": 3, "async": 1, "arrow": 3, "mark": 3,
			"counter": 2}, pick(count, "span", "wait", "async", "arrow", "mark", "counter"))
		text := data.String()
		for _, want := range []string{"load &lt;", "host calls", "clock within", "± ", "text=a"} {
			assert.Contains(t, text, want)
		}
	}
}

func pick(m map[string]int, keys ...string) map[string]int {
	picked := map[string]int{}
	for _, k := range keys {
		picked[k] = m[k]
	}
	return picked
}

func TestPictureOfNothing(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	require.NoError(t, open(t, Options{}).WriteSVG(&data, Picture{}))
	assert.NotEmpty(t, shapes(t, data.Bytes()))
}

func TestPictureOfManySpansIsSmall(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	for i := range 20_000 {
		require.NoError(t, tl.Begin(s, "x").End())
		if i%1000 == 999 {
			flushed(t, tl)
		}
	}
	var data bytes.Buffer
	require.NoError(t, tl.WriteSVG(&data, Picture{}))
	assert.Less(t, strings.Count(data.String(), "<rect class"), 6000, "small spans are left out")
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for span, want := range map[time.Duration]time.Duration{
		1: 1, 10: 1, 95: 10, 123456: 20000, time.Second: 100 * time.Millisecond,
		time.Hour: 500 * time.Second,
	} {
		step := tickStep(span, 10)
		assert.Equal(t, want, step, "%v", span)
	}
	assert.EqualValues(t, -10, ceilTo(-15, 10))
	assert.EqualValues(t, 20, ceilTo(15, 10))
	assert.EqualValues(t, 20, ceilTo(20, 10))
}

// TestNamesAndArrowsStayApart draws streams that wait for each other: no arrow runs through a name.
func TestNamesAndArrowsStayApart(t *testing.T) {
	t.Parallel()
	checked := 0
	for seed := range uint64(40) {
		shot := random(t, seed, 60)
		for i := range shot.Items {
			shot.Items[i].Name = "name" + shot.Items[i].Name
		}
		var data bytes.Buffer
		require.NoError(t, shot.WriteSVG(&data, Picture{}))
		var arrows []arrow
		var names []shape
		for _, s := range shapes(t, data.Bytes()) {
			switch s.attrs["class"] {
			case "arrow":
				var a arrow
				var c [4]float64
				_, err := fmt.Sscanf(s.attrs["d"], "M%f %f C%f %f %f %f %f %f", &a.x1, &a.y1, &c[0], &c[1],
					&c[2], &c[3], &a.x2, &a.y2)
				require.NoError(t, err)
				arrows = append(arrows, a)
			case "name", "flag":
				s.text = strings.TrimSpace(s.text)
				names = append(names, s)
			}
		}
		for _, s := range names {
			left, y := s.number(t, "x"), s.number(t, "y")
			right := left + widthOf(s.text)
			if s.attrs["text-anchor"] == "end" {
				left, right = left-widthOf(s.text), left
			}
			for _, a := range arrows {
				for i := range 1001 {
					ax, ay := a.at(float64(i) / 1000)
					if ay > y-8 && ay < y+2 {
						checked++
						require.False(t, ax > left && ax < right, "seed %d: %v through %q", seed, a, s.text)
					}
				}
			}
		}
	}
	assert.NotZero(t, checked)
}
