package entry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/draw/ids"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// ErrSpelling says that an entry says what an entry may say, but not in its one
// spelling.
var ErrSpelling = errors.New("the entry is not in its one spelling")

// Parse reads an entry. It refuses unknown members, values out of range, and any
// spelling but the one that Append has.
func Parse(data []byte) (Entry, error) {
	if len(data) > MaxBytes {
		return nil, ErrTooLarge
	}
	r := readers.Get().(*reader)
	defer readers.Put(r)
	r.fault = ""
	e := r.read(data)
	if problems := r.document.Problems(); len(problems) > 0 {
		return nil, fmt.Errorf("reading an entry: %s", problems[0].Message())
	}
	if r.fault != "" {
		return nil, fmt.Errorf("reading an entry: %s", r.fault)
	}
	if r.spelled = e.Append(r.spelled[:0]); !bytes.Equal(r.spelled, data) {
		return nil, ErrSpelling
	}
	return e, nil
}

// readers are used again, with what they have allocated: an auditor reads millions of
// entries.
var readers = sync.Pool{New: func() any { return new(reader) }}

// reader reads one entry and keeps the first fault that is not one of form. An entry has
// nothing of its reader: it may refer to the bytes that it was read from.
type reader struct {
	document strictjson.Document
	fault    string

	spelled, canonical []byte // scratch space
}

func (r *reader) wrong(format string, args ...any) {
	if r.fault == "" {
		r.fault = fmt.Sprintf(format, args...)
	}
}

func (r *reader) read(data []byte) Entry {
	root, ok := r.document.Parse("", data)
	if !ok {
		return nil
	}
	o, ok := root.Object()
	if !ok {
		return nil
	}
	if n := o.Int("schema"); n != Schema {
		r.wrong("schema %d is unknown", n)
	}
	kind, draw, game := Kind(o.String("entry")), r.id(o, "draw"), r.id(o, "game")
	var e Entry
	switch kind {
	case KindOpening:
		e = r.opening(o, draw, game)
	case KindClosings:
		e = r.closings(o, draw, game)
	case KindState:
		e = r.state(o, draw, game)
	case KindSettlement:
		e = r.settlement(o, draw, game)
	default:
		r.wrong("there is no kind of entry %.40q", kind)
		return nil
	}
	o.Close()
	return e
}

func (r *reader) opening(o strictjson.Object, draw, game string) *Opening {
	e := &Opening{Draw: draw, Game: game, Table: r.id(o, "table"), Sequence: int64(r.number(o, "sequence", 1)), StoredAt: r.time(o, "stored_at"),
		Odds: r.list(o, "odds"), Message: r.hash(o, "message")}
	for _, round := range o.NonEmptyObjects("rounds") {
		planned := Planned{Round: r.number(round, "round", 1), OpensAt: r.time(round, "opens_at"), ClosesAt: r.time(round, "closes_at")}
		round.Close()
		if planned.ClosesAt <= planned.OpensAt {
			r.wrong("betting round %d closes no later than it opens", planned.Round)
		}
		if n := len(e.Rounds); n > 0 && (planned.Round <= e.Rounds[n-1].Round || planned.OpensAt < e.Rounds[n-1].ClosesAt) {
			r.wrong("betting rounds are not in their order")
		}
		e.Rounds = append(e.Rounds, planned)
	}
	return e
}

func (r *reader) closings(o strictjson.Object, draw, game string) *Closings {
	e := &Closings{Draw: draw, Game: game, State: r.number(o, "state", 1)}
	for _, round := range o.Objects("rounds") {
		closed := Closed{Round: r.number(round, "round", 1), OpensAt: r.time(round, "opens_at"), Closing: r.time(round, "closing"),
			Odds: r.list(round, "odds"), Visible: r.json(round, "visible")}
		if closed.Closing < closed.OpensAt {
			r.wrong("betting round %d closes before it opens", closed.Round)
		}
		closed.Selections = r.stopped(round, closed, game)
		if n := len(e.Rounds); n > 0 && closed.Round <= e.Rounds[n-1].Round {
			r.wrong("betting rounds are not in their order")
		}
		round.Close()
		e.Rounds = append(e.Rounds, closed)
	}
	return e
}

// stopped reads what was closed within a betting round. Of a game that this version
// does not know the names can't be read: that is for whoever resolves the state.
func (r *reader) stopped(o strictjson.Object, round Closed, game string) (list []Stopped) {
	if _, present := o.Optional("selections"); !present {
		return nil
	}
	known, _ := games.Find(game)
	for _, object := range o.NonEmptyObjects("selections") {
		s := Stopped{Selection: object.String("selection"), Closing: r.time(object, "closing")}
		object.Close()
		if s.Closing < round.OpensAt || s.Closing >= round.Closing {
			r.wrong("%.80q closes at no time of betting round %d", s.Selection, round.Round)
		}
		if n := len(list); n > 0 && s.Selection <= list[n-1].Selection {
			r.wrong("what is closed in betting round %d is not in its order", round.Round)
		}
		if known != nil {
			if _, err := known.ParsePattern(s.Selection); err != nil {
				r.wrong("betting round %d: %v", round.Round, err)
			}
		}
		list = append(list, s)
	}
	return list
}

func (r *reader) state(o strictjson.Object, draw, game string) *State {
	e := &State{Draw: draw, Game: game, State: r.number(o, "state", 1), Replaces: r.optionalNumber(o, "replaces"), MadeAt: r.time(o, "made_at"),
		Catalogue: r.number(o, "catalogue", 0), Revision: r.number(o, "revision", 0), Status: Status(o.String("status")),
		Facts: r.json(o, "facts"), FactsSHA256: r.optionalHash(o, "facts_sha256"), Outcome: r.raw(o, "outcome"),
		Reason: r.code(o, "reason"), Rule: r.code(o, "rule"), Correction: r.correction(o), Video: r.video(o), Orders: r.list(o, "orders"), Message: r.optionalHash(o, "message")}
	if e.Replaces != e.State-1 {
		r.wrong("state %d replaces state %d", e.State, e.Replaces)
	}
	if (e.Message == "") != (e.Revision == 0) {
		r.wrong("revision %d with the message %q", e.Revision, e.Message)
	}
	if e.Revision == 0 && (e.Status != Cancelled || e.Correction != nil) {
		r.wrong("revision 0, which is tally's own, cancels a draw and does nothing else")
	}
	hasFacts := (len(e.Facts) > 0) != (e.FactsSHA256 != "")
	var right bool
	switch e.Status {
	case Resolved:
		right = hasFacts && len(e.Outcome) > 0 && e.Reason == "" && e.Rule == ""
	case Void:
		right = hasFacts && len(e.Outcome) == 0 && e.Reason != ""
	case Cancelled:
		right = e.Video == nil && len(e.Facts) == 0 && e.FactsSHA256 == "" && len(e.Outcome) == 0 && e.Reason != ""
	}
	if !right {
		r.wrong("a state of status %.40q has other members than it may have", e.Status)
	}
	return e
}

func (r *reader) correction(o strictjson.Object) *Correction {
	v, present := o.Optional("correction")
	if !present {
		return nil
	}
	c, ok := v.Object()
	if !ok {
		return nil
	}
	defer c.Close()
	correction := &Correction{Reason: r.note(c, "reason"), Note: r.note(c, "note")}
	if correction.Reason == (Note{}) {
		r.wrong("there is no reason of a correction")
	}
	return correction
}

// note reads a text that people wrote. It is not there itself, whoever writes the
// log: what is no code of Codes is there as a hash.
func (r *reader) note(o strictjson.Object, name string) Note {
	n := Note{Code: r.code(o, name), SHA256: r.optionalHash(o, name+"_sha256")}
	if n.Code != "" && (!slices.Contains(Codes, n.Code) || n.SHA256 != "") {
		r.wrong("%.80q is no reason of a correction", n.Code)
	}
	return n
}

func (r *reader) settlement(o strictjson.Object, draw, game string) *Settlement {
	e := &Settlement{Draw: draw, Game: game, State: r.number(o, "state", 1), Replaces: r.optionalNumber(o, "replaces")}
	if e.Replaces >= e.State {
		r.wrong("the settlement of state %d replaces that of state %d", e.State, e.Replaces)
	}
	if v, present := o.Optional("totals"); present {
		if totals, ok := v.Object(); ok {
			e.ShowTotals, e.Totals = true, r.totals(totals)
		}
	}
	v, present := o.Required("bookmakers")
	if !present {
		return e
	}
	if b, ok := v.Object(); ok {
		e.Bookmakers = Commitments{Count: r.number(b, "count", 0), Root: r.hash(b, "root")}
		b.Close()
	}
	return e
}

// totals reads totals by currency, and checks that they add up.
func (r *reader) totals(o strictjson.Object) (byCurrency settlement.Totals) {
	for member := range o.Members {
		currency, known := money.ParseCurrency(member.Name())
		t, ok := member.Object()
		if !known || !ok {
			r.wrong("there is no currency %.10q", member.Name())
			return nil
		}
		totals := settlement.Total{Currency: currency, Bets: r.number(t, "bets", 1), Stake: r.sum(t, "stake"), Payout: r.sum(t, "payout"),
			Won: r.number(t, "won", 0), Lost: r.number(t, "lost", 0), Refunded: r.number(t, "refunded", 0)}
		t.Close()
		if totals.Bets != totals.Won+totals.Lost+totals.Refunded {
			r.wrong("%d bets in %s, but %d settled", totals.Bets, currency.Code(), totals.Won+totals.Lost+totals.Refunded)
		}
		if n := len(byCurrency); n > 0 && byCurrency[n-1].Currency.Compare(currency) >= 0 {
			r.wrong("currencies are not in their order")
		}
		byCurrency = append(byCurrency, totals)
	}
	return byCurrency
}

// sum reads a decimal; that it has its currency's decimals shows when it is
// written again.
func (r *reader) sum(o strictjson.Object, name string) (s money.Sum) {
	if err := s.UnmarshalText([]byte(strings.Replace(o.String(name), ".", "", 1))); err != nil {
		r.wrong("%s is no amount", name)
	}
	return s
}

func (r *reader) id(o strictjson.Object, name string) string {
	text := o.String(name)
	if !ids.Valid(text) {
		r.wrong("%s: %.80q is no identifier", name, text)
	}
	return text
}

// code reads an optional code or the name of a paragraph; empty when absent.
func (r *reader) code(o strictjson.Object, name string) string {
	if _, present := o.Optional(name); !present {
		return ""
	}
	return r.id(o, name)
}

func (r *reader) number(o strictjson.Object, name string, least int64) int {
	n := o.Int(name)
	if n < least || n > 1<<53 {
		r.wrong("%s: %d is out of range", name, n)
	}
	return int(n)
}

func (r *reader) optionalNumber(o strictjson.Object, name string) int {
	if _, present := o.Optional(name); !present {
		return 0
	}
	return r.number(o, name, 1)
}

func (r *reader) hash(o strictjson.Object, name string) string {
	text := o.String(name)
	if !isHash(text) {
		r.wrong("%s is no SHA-256 in hexadecimal digits", name)
	}
	return text
}

func (r *reader) optionalHash(o strictjson.Object, name string) string {
	if _, present := o.Optional(name); !present {
		return ""
	}
	return r.hash(o, name)
}

func (r *reader) list(o strictjson.Object, name string) *List {
	v, present := o.Optional(name)
	if !present {
		return nil
	}
	object, ok := v.Object()
	if !ok {
		return nil
	}
	defer object.Close()
	return &List{Count: r.number(object, "count", 1), SHA256: r.hash(object, "sha256")}
}

func (r *reader) time(o strictjson.Object, name string) settlement.Instant {
	at, ok := instant.Parse(o.String(name))
	if !ok {
		r.wrong("%s is no time", name)
	}
	return at
}

// raw reads an optional object as it is written.
func (r *reader) raw(o strictjson.Object, name string) []byte {
	v, present := o.Optional(name)
	if !present {
		return nil
	}
	if _, ok := v.Object(); !ok {
		return nil
	}
	return v.Raw()
}

// json reads an optional object that is canonical JSON.
func (r *reader) json(o strictjson.Object, name string) []byte {
	raw := r.raw(o, name)
	if raw == nil {
		return nil
	}
	r.canonical = append(r.canonical[:0], raw...)
	canonical := jsontext.Value(r.canonical)
	if canonical.Canonicalize() != nil || !bytes.Equal(canonical, raw) {
		r.wrong("%s is not canonical JSON", name)
	}
	return raw
}
