package emit

import (
	"fmt"

	"github.com/gpuevent/gpuevent/gen/model"
)

// checkGaps refuses a struct, in any of its layouts, that has more bytes between its fields than
// padding can have: padding is smaller than the alignment of what follows it. A parser that loses a
// field, or the length of an array, is found here.
func (p *typing) checkGaps() error {
	for i := range p.Model.Structs {
		s := &p.Model.Structs[i]
		versions := []string{p.last(s.Span)}
		for _, v := range s.Variants {
			versions = append(versions, v.To)
		}
		for _, v := range versions {
			if err := p.sizes.gap(structAt(s, v), v); err != nil {
				return fmt.Errorf("specs/%s.json: %s in %s: %w", p.Rules.API, s.Name, v, err)
			}
		}
	}
	return nil
}

// gap finds a gap in one layout of a struct, or in one that it declares in place. Unions have none.
func (z *sizes) gap(s *model.Struct, version string) error {
	end, l := 0, s.Layouts[0]
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Inner != nil {
			if err := z.gap(f.Inner, version); err != nil {
				return err
			}
		}
		size, align := z.fieldSize(f, version)
		switch {
		case align == 0: // a type that Go lacks, which layoutStruct reports
		case s.Union:
			if size > l.Size {
				return fmt.Errorf("the member %s has %d bytes, the union %d", f.Name, size, l.Size)
			}
		case l.Offsets[i]-end >= align:
			return fmt.Errorf("%w: %d bytes in front of the field %s, which is aligned to %d", errGap,
				l.Offsets[i]-end, f.Name, align)
		}
		end = max(end, l.Offsets[i]+size)
		if align == 0 {
			return nil
		}
	}
	if rest := l.Size - end; !s.Union && rest >= l.Align && len(s.Fields) > 0 {
		return fmt.Errorf("%w: %d bytes after the last field of a struct aligned to %d", errGap, rest,
			l.Align)
	}
	return nil
}
