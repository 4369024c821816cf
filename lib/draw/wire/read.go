package wire

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"tally/lib/draw/ids"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Schema is the version of the messages' format.
const Schema = 1

// Partial is what could be read of a message that can't be taken: enough to
// file it and to answer.
type Partial struct {
	ID    string
	Type  Type
	Draw  string
	Table string
	Game  string // empty for one that there is not
}

// Parse reads a message. When something is wrong with it, faults says
// everything, and message is nil; partial is what could be read of it.
func Parse(body []byte) (message *Message, partial Partial, faults []Fault) {
	return ParseUnder(body, nil)
}

// ParseUnder reads a message about a draw that has an earlier version of its game's
// rules; nil for the newest.
func ParseUnder(body []byte, game *rules.Game) (message *Message, partial Partial, faults []Fault) {
	return ParseAgain(body, game, nil)
}

// ParseAgain reads a message of which it is known what its visible cards decide; nil where
// it is not.
func ParseAgain(body []byte, game *rules.Game, decided DecidedMarks) (message *Message, partial Partial, faults []Fault) {
	if len(body) > MaxBody {
		return nil, Partial{}, []Fault{{Code: CodeTooLarge, Message: fmt.Sprintf("the message has %d bytes, at most %d are allowed", len(body), MaxBody)}}
	}
	var document strictjson.Document
	r := &reader{document: &document, under: game, known: decided}
	m := r.read(body)
	for _, p := range document.Problems() {
		faults = append(faults, Fault{Code: string(p.Code), Message: p.Message()})
	}
	faults = append(faults, r.faults...)
	partial = Partial{ID: m.ID, Type: m.Type, Draw: m.Draw, Table: m.Table}
	if m.Game != nil {
		partial.Game = m.Game.ID
	}
	if len(faults) > 0 {
		return nil, partial, faults
	}
	content, err := canonical(r.object, m)
	if err != nil {
		return nil, partial, []Fault{{Code: string(strictjson.BadJSON), Message: err.Error()}}
	}
	m.Content, m.spelled = content, r.spelled
	return m, partial, nil
}

// reader reads one message and gathers its faults.
type reader struct {
	document *strictjson.Document
	object   strictjson.Object
	under    *rules.Game  // where the draw has an earlier version
	known    DecidedMarks // nil where the cards have to be looked at
	faults   []Fault
	spelled  []string // see Message
}

// maxFaults is how many faults of a message are named.
const maxFaults = 100

func (r *reader) fault(code, rule, message string) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, Fault{Code: code, Rule: rule, Message: message})
	}
}

func (r *reader) read(body []byte) *Message {
	m := &Message{}
	root, ok := r.document.Parse("", body)
	if !ok {
		return m
	}
	if r.object, ok = root.Object(); !ok {
		return m
	}
	o := r.object
	if v, present := o.Required("schema"); present {
		if n, isWhole := v.Int(); isWhole && n != Schema {
			r.fault(CodeUnknownSchema, "", fmt.Sprintf("schema: there is no version %d, only %d", n, Schema))
		}
	}
	if ofTable, is := tableBodies[typeOf(o)]; is {
		m.ID, m.Table, m.At, m.Type = r.identifier(o, "id"), r.identifier(o, "table"), r.time(o, "at"), typeOf(o)
		ofTable(r, o, m)
		o.Close()
		return m
	}
	m.ID, m.Table, m.Draw = r.identifier(o, "id"), r.identifier(o, "table"), r.identifier(o, "draw")
	m.At = r.time(o, "at")
	m.Game = r.game(o)
	m.Type = Type(o.String("type"))
	body2, known := bodies[m.Type]
	switch {
	case known && m.Game != nil:
		body2(r, o, m)
		o.Close()
	case !known && m.Type != "":
		r.fault(CodeUnknownType, "", fmt.Sprintf("type: there are no messages of type %q", m.Type))
	}
	return m
}

// bodies read what each type of message has beside the fields of all.
var bodies = map[Type]func(*reader, strictjson.Object, *Message){
	DrawOpened:    (*reader).drawOpened,
	BettingOpened: (*reader).bettingOpened,
	BettingClosed: (*reader).bettingClosed,
	DrawResulted:  (*reader).drawResulted,
	DrawCancelled: (*reader).drawCancelled,
	BetsVoided:    (*reader).betsVoided,
	BetsFound:     (*reader).betsFound,
	OrderRevoked:  (*reader).orderRevoked,
}

func (r *reader) game(o strictjson.Object) *rules.Game {
	v, present := o.Required("game")
	if !present {
		return nil
	}
	id, isText := v.String()
	if !isText {
		return nil
	}
	game, known := games.Find(string(id))
	if r.under != nil && r.under.ID == string(id) {
		return r.under
	}
	if !known {
		r.document.Report(strictjson.UnknownGame, "game", fmt.Sprintf("no game is called %.40q", id))
		return nil
	}
	return game
}

func (r *reader) identifier(o strictjson.Object, name string) string {
	v, present := o.Required(name)
	if !present {
		return ""
	}
	text, isText := v.String()
	if isText && !ids.Valid(string(text)) {
		r.fault(CodeBadID, "", fmt.Sprintf("%s: %.80q is no identifier: write 1 to 64 of A-Z a-z 0-9 . _ -", v.Path(), text))
		return ""
	}
	return string(text)
}

func (r *reader) time(o strictjson.Object, name string) settlement.Instant {
	v, present := o.Required(name)
	if !present {
		return 0
	}
	return r.timeOf(v)
}

func (r *reader) timeOf(v strictjson.Value) settlement.Instant {
	text, isText := v.String()
	if !isText {
		return 0
	}
	at, ok := instant.Parse(string(text))
	if ok && instant.Format(at) != string(text) { // Go also takes a comma, and an hour of one digit
		r.spelled = append(r.spelled, v.Path())
	}
	if !ok {
		r.fault(CodeBadTime, "", fmt.Sprintf("%s: %.40q is no time: write RFC 3339 in UTC with milliseconds, such as 2026-11-30T12:00:00.000Z", v.Path(), text))
	}
	return at
}

// Content returns what identifies the content of a result or a cancellation, whatever
// rules its draw has.
func Content(body []byte) (string, error) {
	var document strictjson.Document
	root, ok := document.Parse("", body)
	if o, is := root.Object(); ok && is {
		return canonical(o, &Message{})
	}
	return "", errors.New("the message is no JSON object")
}

// canonical returns the message without its id and time as canonical JSON
// (RFC 8785), with a set of selections in its order.
func canonical(o strictjson.Object, m *Message) (string, error) {
	out := strictjson.Out(nil).Open()
	for member := range o.Members {
		switch name := member.Name(); {
		case name == "id" || name == "at":
		case name == "selections" && m.Selections != nil:
			out = out.Name(name).OpenList()
			for _, text := range m.Selections {
				out = out.Plain(text)
			}
			out = out.CloseList()
		default:
			out = append(append(out.Raw(member.RawName()), ':'), member.Raw()...)
		}
	}
	value := jsontext.Value(out.Close())
	if err := value.Canonicalize(); err != nil {
		return "", fmt.Errorf("writing the message canonically: %w", err)
	}
	return string(value), nil
}
