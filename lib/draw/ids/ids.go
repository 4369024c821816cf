// Package ids says which texts are identifiers: of draws, tables, messages, bookmakers, bets
// and whatever else is named.
package ids

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
