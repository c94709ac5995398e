package eventtest

import (
	"bytes"
	"encoding/json"

	"github.com/gpuevent/gpuevent/event"
)

var ipcBehaviours = []behaviour{
	{"ipc/descriptor-is-plain-data", []need{can(event.CapIPC)}, func(k *kit) {
		for _, o := range [][]event.EventOption{{event.WithIPC()},
			{event.WithIPC(), event.WithBlockingSync()}} {
			e := k.event(o...)
			k.True(e.IsIPCEnabled())
			var d event.IPCDescriptor
			k.within("a look from another goroutine", func() {
				var err error
				d, err = e.IPCDescriptor()
				k.NoError(err)
			})
			k.Equal(k.Device.Backend(), d.Backend())
			k.Equal(e.IsBlockingSync(), d.IsBlockingSync())
			k.Contains(d.String(), string(d.Backend()))
			var fromBinary, fromText, fromJSON event.IPCDescriptor
			raw, err := d.MarshalBinary()
			k.NoError(err)
			k.NoError(fromBinary.UnmarshalBinary(raw))
			text, err := d.MarshalText()
			k.NoError(err)
			k.NoError(fromText.UnmarshalText(text))
			js, err := json.Marshal(d)
			k.NoError(err)
			k.NoError(json.Unmarshal(js, &fromJSON))
			k.Equal([3]event.IPCDescriptor{d, d, d}, [3]event.IPCDescriptor{fromBinary, fromText, fromJSON})
		}
	}},
	{"ipc/damaged-descriptors-are-refused", []need{can(event.CapIPC)}, func(k *kit) {
		d, err := k.event(event.WithIPC()).IPCDescriptor()
		k.NoError(err)
		raw, err := d.MarshalBinary()
		k.NoError(err)
		var read event.IPCDescriptor
		for _, n := range []int{0, 1, 64, len(raw) - 1} {
			k.refused(read.UnmarshalBinary(raw[:n]), event.ErrInvalidDescriptor, "bytes")
		}
		k.refused(read.UnmarshalBinary(append(bytes.Clone(raw), 0)), event.ErrInvalidDescriptor, "bytes")
		for i := range raw {
			damaged := bytes.Clone(raw)
			damaged[i] ^= 0x20
			k.refused(read.UnmarshalBinary(damaged), event.ErrInvalidDescriptor)
		}
		k.refused(read.UnmarshalText([]byte("not base64!")), event.ErrInvalidDescriptor)
		k.refused(json.Unmarshal([]byte(`{"backend":"host","event":"AAAA"}`), &read), event.ErrInvalidDescriptor)
		k.refused(json.Unmarshal([]byte(`[1]`), &read), event.ErrInvalidDescriptor)
		k.Zero(read, "a failed read leaves it as it was")
		_, err = k.Device.ImportEvent(read)
		k.refused(err, event.ErrInvalidDescriptor, "empty")
		_, err = read.MarshalBinary()
		k.refused(err, event.ErrInvalidDescriptor, "empty")
	}},
	{"ipc/ordinary-events-have-no-descriptor", nil, func(k *kit) {
		_, err := k.event().IPCDescriptor()
		k.refused(err, event.ErrUnsupported, "WithIPC()")
	}},
	{"ipc/descriptor-of-other-backend-is-refused", []need{other, can(event.CapIPC)}, func(k *kit) {
		d, err := k.event(event.WithIPC()).IPCDescriptor()
		k.NoError(err)
		_, err = k.Other.ImportEvent(d)
		k.refused(err, event.ErrBackendMismatch, string(k.Device.Backend()))
	}},
	{"ipc/import-where-it-was-exported", []need{can(event.CapIPC)}, func(k *kit) {
		d, err := k.event(event.WithIPC()).IPCDescriptor()
		k.NoError(err)
		e, err := k.Device.ImportEvent(d)
		if !k.SameProcessIPC {
			var driver *event.DriverError
			k.ErrorAs(err, &driver, "drivers refuse that")
			k.Contains(driver.Call, "pcOpenEventHandle")
			return
		}
		k.NoError(err)
		checkImported(k, e)
		k.NoError(e.Close())
	}},
	{"ipc/this-process-records-the-other-waits", []need{can(event.CapIPC), peered}, func(k *kit) {
		p := startPeer(k)
		s, e := k.stream(), k.event(event.WithIPC())
		g := k.gate(s)
		k.NoError(e.Record(s))
		p.ask("import "+descriptorText(k, e), "ok")
		p.ask("attributes", "device=<nil> timing=false ipc=true recorded=true")
		p.ask("descriptor", "refused: not supported")
		p.ask("elapsed", "refused: timing is disabled")
		p.ask("done", "false")
		p.ask("order", "ok") // a stream of the other process waits too
		p.ask("stream", "false")
		p.say("wait")
		g.open()
		p.hear("ok")
		p.ask("done", "true")
		p.ask("sync", "ok")
		p.ask("streamsync", "ok")
		k.NoError(e.Sync())
		p.ask("close", "ok")
	}},
	{"ipc/the-other-process-records-this-waits", []need{can(event.CapIPC), peered}, func(k *kit) {
		p := startPeer(k)
		e := k.event(event.WithIPC())
		k.Equal(event.Unrecorded, e.State())
		p.ask("import "+descriptorText(k, e), "ok")
		p.ask("gate", "ok")
		p.ask("record", "ok")
		k.isDone(false, e)
		k.Equal(event.Pending, e.State())
		s := k.stream()
		k.NoError(s.WaitEvent(e))
		after := k.record(s)
		k.isDone(false, after)
		done := e.Done()
		k.ErrorContains(e.Wait(expired(k, 1)), "deadline")
		k.True(isOpen(done))
		p.ask("open", "ok")
		k.reached("done", done)
		k.NoError(e.Wait(k.ctx()))
		k.NoError(after.Sync())
		k.isDone(true, e)
		k.Equal(event.Done, e.State())
		k.True(e.IsRecorded())
		p.ask("gate", "ok") // and again: what was done can be pending once more
		p.ask("record", "ok")
		k.isDone(false, e)
		k.True(isOpen(e.Done()))
		p.ask("open", "ok")
		k.NoError(e.Sync())
		p.ask("close", "ok")
	}},
	{"ipc/the-other-process-exports", []need{can(event.CapIPC), peered}, func(k *kit) {
		p := startPeer(k)
		var d event.IPCDescriptor
		k.NoError(d.UnmarshalText([]byte(p.tell("export"))))
		e, err := k.Device.ImportEvent(d)
		k.NoError(err)
		defer func() { k.NoError(e.Close()) }()
		checkImported(k, e)
		p.ask("gate", "ok")
		p.ask("record", "ok")
		k.isDone(false, e)
		p.ask("open", "ok")
		k.NoError(e.Wait(k.ctx()))
		s := k.stream()
		g := k.gate(s)
		k.NoError(e.Record(s)) // an imported event can be recorded
		p.ask("done", "false")
		p.say("wait")
		g.open()
		p.hear("ok")
	}},
	{"ipc/process-may-end-with-events-pending", []need{peered, can(event.CapHostFunc)}, func(k *kit) {
		p := startPeer(k)
		p.ask("pending", "ok")
		p.end()
	}},
}

func checkImported(k *kit, e *event.Event) {
	k.t.Helper()
	k.Nil(e.Device())
	k.Equal(k.Device.Backend(), e.Backend())
	k.True(e.IsIPCEnabled())
	k.True(e.IsRecorded(), "whether it was is not known")
	k.False(e.IsTimingEnabled())
	k.Contains(e.String(), string(k.Device.Backend())+":? event 0x")
	context, err := e.Context()
	k.NoError(err)
	k.Zero(context)
	_, err = e.IPCDescriptor()
	k.refused(err, event.ErrUnsupported, "imported")
	_, err = k.event(event.WithTiming()).Sub(e)
	k.refused(err, event.ErrTimingDisabled, e.String())
}

func descriptorText(k *kit, e *event.Event) string {
	k.t.Helper()
	d, err := e.IPCDescriptor()
	k.NoError(err)
	text, err := d.MarshalText()
	k.NoError(err)
	return string(text)
}
