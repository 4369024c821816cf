// Package headers has the headers by which whoever answers with pages tells browsers
// what those may do. The public site and the API's document send the same list; they
// differ in the policy alone, which names what a page is made of.
package headers

// Security returns the headers, with a content security policy.
func Security(policy string) map[string]string {
	return map[string]string{
		"Content-Security-Policy":    policy,
		"Referrer-Policy":            "no-referrer",
		"Strict-Transport-Security":  "max-age=63072000; includeSubDomains",
		"X-Content-Type-Options":     "nosniff",
		"Cross-Origin-Opener-Policy": "same-origin",
		"X-Frame-Options":            "DENY",
	}
}
