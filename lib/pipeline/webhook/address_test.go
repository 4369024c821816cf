package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func TestCheckURL(t *testing.T) {
	for _, test := range []struct {
		url      string
		loopback bool
		want     string // part of the reason; empty when it will do
	}{
		{"https://bookmaker.example/tally", false, ""},
		{"https://bookmaker.example:8443/tally?shop=7", false, ""},
		{"https://bookmaker.example.", false, ""},
		{"https://93.184.215.14/", false, ""},
		{"https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", false, ""},
		{"http://bookmaker.example/", false, "write https:"},
		{"ftp://bookmaker.example/", false, "write https:"},
		{"https://user:secret@bookmaker.example/", false, "a user or a password"},
		{"https://user@bookmaker.example/", false, "a user or a password"},
		{"https://bookmaker.example:80/", false, "listen at 443 or 8443"},
		{"https://bookmaker.example:6379/", false, "listen at 443 or 8443"},
		{"https://bookmaker.example/#part", false, "fragment"},
		{"https://bookmaker.example/#", false, "fragment"},
		{"https://bookmaker.example/a b", false, "is no URL"},
		{"https://bookmaker.example/\r\nHost: x", false, "is no URL"},
		{"https:bookmaker.example", false, "is no URL"},
		{"https:///path", false, "is no URL"},
		{"bookmaker.example", false, "is no URL"},
		{"", false, "is no URL"},
		{"https://bookmaker.example/" + strings.Repeat("a", maxURL), false, "at most 1000"},
		{"https://localhost/", false, "no name of the public internet"},
		{"https://intranet/", false, "no name of the public internet"},
		{"https://2130706433/", false, "no name of the public internet"},
		{"https://127.0.0.1/", false, "no address of the public internet"},
		{"https://10.0.0.1/", false, "no address of the public internet"},
		{"https://169.254.169.254/latest/meta-data/", false, "no address of the public internet"},
		{"https://[::1]/", false, "no address of the public internet"},
		{"https://[::ffff:10.0.0.1]/", false, "no address of the public internet"},
		{"https://[64:ff9b::a00:1]/", false, "no address of the public internet"},
		{"https://127.1/", false, "no address of the public internet"},
		{"https://127.0.1/", false, "no address of the public internet"},
		{"https://0x7f.1/", false, "no address of the public internet"},
		{"https://0x7f.0.0.0x1/", false, "no address of the public internet"},
		{"https://0X7F.0.0.0X1/", false, "no address of the public internet"},
		{"https://0177.0.0.1/", false, "no address of the public internet"},
		{"https://127.0.0.01/", false, "no address of the public internet"},
		{"https://127.0.0.1./", false, "no address of the public internet"},
		{"https://93.184.3854/", false, "no address of the public internet"},
		{"https://bookmaker.example.0x/", false, "no address of the public internet"},
		{"https://0x7f000001/", false, "no name of the public internet"},
		{"https://017700000001/", false, "no name of the public internet"},
		{"https://[::ffff:127.0.0.1]/", false, "no address of the public internet"},
		{"https://[::ffff:7f00:1]/", false, "no address of the public internet"},
		{"https://[::127.0.0.1]/", false, "no address of the public internet"},
		{"https://[fe80::1%25eth0]/", false, "no address of the public internet"},
		{"https://\uff11\uff12\uff17.0.0.\uff11/", false, "letters beyond ASCII"},
		{"https://b\u00fccher.example/", false, "letters beyond ASCII"},
		{"https://7.bookmaker.example7/", false, ""},
		{"https://1x.0xg/", false, ""},
		{"http://127.0.0.1:8000/hook", true, ""},
		{"http://localhost:8000/hook", true, ""},
		{"https://[::1]:8000/hook", true, ""},
		{"ftp://127.0.0.1/", true, "write https:"},
		{"http://10.0.0.1/", true, "write https:"},
		{"http://bookmaker.example/", true, "write https:"},
	} {
		t.Run(test.url, func(t *testing.T) {
			err := checkURL(test.url, test.loopback)
			var refused *ParamsError
			if (err == nil) != (test.want == "") || err != nil && (!errors.As(err, &refused) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%.60q (loopback %v): %v, want %q", test.url, test.loopback, err, test.want)
			}
		})
	}
}

// inside are addresses that no connection may be made to: of this machine, of
// networks that are not public, and those that embed one of these.
var inside = []string{
	"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.0.2.1",
	"192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:93.184.215.14", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
	"2002:7f00:1::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
}

func TestGuard(t *testing.T) {
	for _, ip := range inside {
		t.Run(ip, func(t *testing.T) {
			for _, port := range []string{"443", "8443"} {
				if err := guard(false)("tcp6", net.JoinHostPort(ip, port), nil); err == nil {
					t.Errorf("%s port %s may be connected to", ip, port)
				}
			}
			loopback := net.ParseIP(ip).IsLoopback()
			if err := guard(true)("tcp4", net.JoinHostPort(ip, "443"), nil); (err == nil) != loopback {
				t.Errorf("with loopback, %s: %v", ip, err)
			}
		})
	}
	for _, at := range []struct {
		network, address string
		ok               bool
	}{
		{"tcp4", "93.184.215.14:443", true},
		{"tcp4", "93.184.215.14:8443", true},
		{"tcp6", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443", true},
		{"tcp4", "93.184.215.14:80", false},
		{"tcp4", "93.184.215.14:22", false},
		{"udp4", "93.184.215.14:443", false},
		{"unix", "/var/run/docker.sock", false},
	} {
		t.Run(at.network+" "+at.address, func(t *testing.T) {
			if err := guard(false)(at.network, at.address, nil); (err == nil) != at.ok {
				t.Errorf("%s %s: %v, want (err == nil) = %v", at.network, at.address, err, at.ok)
			}
		})
	}
}

// resolver answers every name with the addresses in turn, one a question: the first
// is what a check beforehand would see.
func resolver(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	go func() {
		defer close(done)
		buffer, asked := make([]byte, 512), 0
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			ip := net.ParseIP(addresses[asked%len(addresses)])
			header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Type: m.Questions[0].Type, Class: dnsmessage.ClassINET, TTL: 0}
			switch v4 := ip.To4(); {
			case m.Questions[0].Type == dnsmessage.TypeA && v4 != nil:
				m.Answers, asked = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte(v4)}}}, asked+1
			case m.Questions[0].Type == dnsmessage.TypeAAAA && v4 == nil:
				m.Answers, asked = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: [16]byte(ip)}}}, asked+1
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// A name that leads inside is not connected to, whatever it led to before.
func TestNamesThatLeadInside(t *testing.T) {
	reached := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	for _, ip := range inside {
		t.Run(ip, func(t *testing.T) {
			if strings.HasPrefix(ip, "::ffff:") {
				return // a name has no such address: Go makes an IPv4 one of it
			}
			sender := NewSender(SenderOptions{Resolver: resolver(t, ip), Timeout: 10 * time.Second})
			came, err := sender.Send(t.Context(), &Endpoint{ID: "e", URL: "https://bookmaker.example/"}, Message{ID: "m"}, time.Now())
			if err != nil || came.Failed != FailedAddress {
				t.Errorf("a name that leads to %s: %+v, %v", ip, came, err)
			}
		})
	}
	if reached {
		t.Error("a server of this machine was reached")
	}
}

// A name that leads elsewhere at the second look: with loopback allowed, to show
// that each connection is checked by the address it goes to.
func TestRebinding(t *testing.T) {
	taken := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		taken++
		w.Header().Set("Connection", "close")
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	sender := NewSender(SenderOptions{Loopback: true, Resolver: resolver(t, "127.0.0.1", "10.0.0.1"), Timeout: 10 * time.Second})
	e := &Endpoint{ID: "e", URL: "http://bookmaker.example:" + port + "/"}
	first, err := sender.Send(t.Context(), e, Message{ID: "m"}, time.Now())
	if err != nil || first.Failed != "" {
		t.Fatalf("the first look: %+v, %v", first, err)
	}
	second, err := sender.Send(t.Context(), e, Message{ID: "m"}, time.Now())
	if err != nil || second.Failed != FailedAddress || taken != 1 {
		t.Errorf("the second look: %+v, %v; %d were taken", second, err, taken)
	}
}
