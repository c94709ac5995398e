package main

import "strings"

// upstreamOf cuts a Debian release to the upstream version: 1:5.7.1+dfsg-6 is 5.7.1.
func upstreamOf(release string) string {
	if _, rest, ok := strings.Cut(release, ":"); ok {
		release = rest
	}
	if i := strings.LastIndexByte(release, '-'); i >= 0 {
		release = release[:i]
	}
	if i := strings.IndexAny(release, "+~"); i >= 0 {
		release = release[:i]
	}
	return release
}
