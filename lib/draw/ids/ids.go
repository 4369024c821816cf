// Package ids says which texts are identifiers: of draws, tables, messages, bookmakers, bets
// and whatever else is named.
package ids

import "strings"

// Valid reports whether a text is an identifier or a reference: 1 to 64 of
// A–Z a–z 0–9 . _ -
func Valid(text string) bool {
	if len(text) < 1 || len(text) > 64 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// ValidNew reports whether something new may have that identifier: not . or .., which
// mean folders in addresses. What earlier versions have stored of such stays readable.
func ValidNew(text string) bool { return Valid(text) && text != "." && text != ".." }

// letters are those of which names of hosts and paths are made.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"

// MaxURL is the longest address of a video, in bytes.
const MaxURL = 1000

// ValidURL reports whether a text may be the address of a video: https, without a user. It is written out, for every function links it, and regexp is large.
func ValidURL(text string) bool {
	rest, secure := strings.CutPrefix(text, "https://")
	if !secure || len(text) > MaxURL {
		return false
	}
	authority, path, _ := strings.Cut(rest, "/")
	host, port, numbered := strings.Cut(authority, ":")
	isPort := len(port) >= 1 && len(port) <= 5 && strings.Trim(port, "0123456789") == ""
	return host != "" && strings.Trim(host, letters) == "" && (!numbered || isPort) && strings.Trim(path, letters+"_~!$&'()*+,;=:@%/?#") == ""
}
