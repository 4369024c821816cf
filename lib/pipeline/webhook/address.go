package webhook

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"code.dny.dev/ssrf"
)

// maxURL is the longest address, in bytes.
const maxURL = 1000

// Ports are the ports that an endpoint may listen at.
var ports = []uint16{443, 8443}

// guardian knows the addresses and ports that may be connected to: those of the
// public internet, by IANA's registries. What embeds an IPv4 address in an IPv6 one
// (mapped, NAT64, 6to4, Teredo) is not among them.
var guardian = ssrf.New(ssrf.WithPorts(ports...))

// guard returns the check of every connection as it is made, when its name was
// resolved: a name that changes its mind in between gains nothing. With loopback
// this machine may be connected to as well, at any port.
func guard(loopback bool) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, c syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); loopback && err == nil && at.Addr().Unmap().IsLoopback() {
			return nil
		}
		return guardian.Safe(network, address, c)
	}
}

// checkURL says what is wrong with an address as far as its text shows. With
// loopback it may be one on this machine, without TLS and at any port.
func checkURL(text string, loopback bool) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return wrong("the URL has %d bytes, at most %d are allowed", len(text), maxURL)
	case err != nil || u.Host == "" || u.Opaque != "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return wrong("%.80q is no URL: write one such as https://bookmaker.example/tally", text)
	case u.User != nil:
		return wrong("the URL names a user or a password: leave them out, requests are signed")
	case strings.Contains(text, "#"):
		return wrong("the URL has a fragment (#…), which is never sent: leave it out")
	case loopback && isLoopback(u.Hostname()) && (u.Scheme == "http" || u.Scheme == "https"):
		return nil
	case u.Scheme != "https":
		return wrong("the URL begins with %s: write https:", u.Scheme)
	case u.Port() != "" && !slices.Contains([]string{"443", "8443"}, u.Port()):
		return wrong("port %s is not allowed: listen at 443 or 8443", u.Port())
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		if err := guardian.SafeAddr(ip); err != nil {
			return wrong("%s is no address of the public internet", ip)
		}
		return nil
	}
	if !strings.Contains(strings.TrimSuffix(u.Hostname(), "."), ".") {
		return wrong("%q is no name of the public internet", u.Hostname())
	}
	if name := u.Hostname(); endsInNumber(name) {
		return wrong("%q is an address in an unusual form, no address of the public internet: write four decimal numbers, or a name", name)
	}
	if strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r >= utf8.RuneSelf }) {
		return wrong("%q has letters beyond ASCII: write the name as DNS has it, with xn--", u.Hostname())
	}
	return nil
}

// endsInNumber reports whether the last part of a host is a number, decimal, octal or
// hexadecimal. Of no name it is; of the forms in which resolvers take addresses, such
// as 127.1, 0x7f.1 and 0177.0.0.1, it always is.
func endsInNumber(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, hexadecimal := strings.CutPrefix(last, "0x"); hexadecimal {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ParamsError refuses an endpoint that an operator asked for, before anything is written.
// Its text is what the operator reads.
type ParamsError struct{ Reason string }

func (e *ParamsError) Error() string { return e.Reason }

func wrong(format string, args ...any) error {
	return &ParamsError{Reason: fmt.Sprintf(format, args...)}
}
