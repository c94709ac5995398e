//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// actor uses shared events on command, in this process or in another.
type actor struct {
	engine *Engine
	events map[string]*Event
	gates  map[string]*Gate // by event and generation
	points map[string]Point // by event and generation
}

func newActor() *actor {
	return &actor{New(Options{}), map[string]*Event{}, map[string]*Gate{}, map[string]Point{}}
}

func actorMain() int {
	a := newActor()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println(a.tell(in.Text()))
	}
	a.end()
	return 0
}

// end completes and closes what is left.
func (a *actor) end() {
	for _, g := range a.gates {
		g.Open()
	}
	for _, ev := range a.events {
		_ = ev.Close()
	}
}

// tell obeys a line: a verb, the name of an event, and what the verb needs.
func (a *actor) tell(line string) string {
	answer, err := a.obey(strings.Fields(line))
	if err != nil {
		return "error " + err.Error()
	}
	return answer
}

func (a *actor) obey(words []string) (string, error) {
	verb, name, arg := words[0], words[1], ""
	if len(words) > 2 {
		arg = words[2]
	}
	ev := a.events[name]
	switch verb {
	case "export":
		ev, err := a.engine.NewEvent(EventOptions{IPC: true})
		if err != nil {
			return "", err
		}
		a.events[name] = ev
		d, err := ev.Descriptor()
		return hex.EncodeToString(d[:]), err
	case "import":
		raw, err := hex.DecodeString(arg)
		if err == nil {
			ev, err = a.engine.OpenEvent(raw)
		}
		if err == nil {
			a.events[name] = ev
		}
		return "ok", err
	case "record": // pending
		q, err := a.engine.NewQueue(QueueOptions{NonBlocking: true})
		if err != nil {
			return "", err
		}
		g, err := q.Gate()
		if err != nil {
			return "", err
		}
		n, err := q.Record(ev)
		if err == nil {
			a.gates[fmt.Sprint(name, ":", n)] = g
		} else {
			g.Open()
		}
		return fmt.Sprint(n), err
	case "done": // complete at once
		q, err := a.engine.NewQueue(QueueOptions{NonBlocking: true})
		if err != nil {
			return "", err
		}
		n, err := q.Record(ev)
		return fmt.Sprint(n), err
	case "open", "fail":
		key := name + ":" + arg
		g := a.gates[key]
		delete(a.gates, key)
		if verb == "open" {
			g.Open()
		} else {
			g.Fail(errTest)
		}
		return "ok", nil
	case "look": // and keep the point
		p, err := ev.Point()
		if err == ErrNotRecorded {
			return "0 Unrecorded", nil
		}
		if err != nil {
			return "", err
		}
		n := p.Generation()
		a.points[fmt.Sprint(name, ":", n)] = p
		return fmt.Sprint(n, " ", outcome(p)), nil
	case "ask":
		return outcome(a.points[name+":"+arg]), nil
	case "close":
		delete(a.events, name)
		return "ok", ev.Close()
	}
	return "", fmt.Errorf("unknown verb %q", verb)
}

func outcome(p Point) string {
	switch done, err := p.Query(); {
	case !done:
		return "Pending"
	case err == errTest, err == ErrPeerFailed:
		return "Failed"
	case err != nil:
		return err.Error()
	}
	return "Done"
}
