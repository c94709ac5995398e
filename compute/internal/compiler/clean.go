package compiler

import (
	"os"
	"path"
	"regexp"
	"strings"
)

// folder is the temporary one in which hipRTC's compiler works, with a random name:
// /tmp/comgr-1d5337/input/, in newer releases /tmp/comgr-31402-0-9a34af/input/.
var folder = regexp.MustCompile(
	`(?:[A-Za-z]:)?(?:[/\\][^/\\\s:"'<>|]+)*[/\\]comgr-[0-9A-Za-z-]+[/\\](input|include|output)[/\\]`)

// clean takes temporary folders out of a log, which would make two logs of one mistake differ, and
// names the source as its owner does: hipRTC knows only the last part of its name.
func clean(log, name string) string {
	if !strings.Contains(log, "comgr-") {
		return log
	}
	// A folder for temporary files may have a space in its path.
	temp := strings.TrimRight(os.TempDir(), `/\`)
	log = strings.ReplaceAll(log, temp+"/comgr-", "/comgr-")
	log = strings.ReplaceAll(log, temp+`\comgr-`, `\comgr-`)
	base := fileName(name)
	var b strings.Builder
	for {
		at := folder.FindStringSubmatchIndex(log)
		if at == nil {
			b.WriteString(log)
			return b.String()
		}
		b.WriteString(log[:at[0]])
		in := log[at[2]:at[3]]
		log = log[at[1]:]
		if rest, ok := strings.CutPrefix(log, base); ok && in == "input" {
			b.WriteString(name)
			log = rest
		}
	}
}

// fileName is the last part of a name: hipRTC writes the source to a file of that name in its
// temporary folder, and must not leave that.
func fileName(name string) string {
	base := path.Base(strings.NewReplacer(`\`, "/", ":", "/").Replace(name))
	if base == "." || base == ".." || base == "/" {
		return defaultName
	}
	return base
}
