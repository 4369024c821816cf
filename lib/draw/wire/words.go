package wire

import (
	"strings"

	"tally/lib/strictjson"
)

// back is what follows for the bets of a draw that has no outcome. How many they are is
// not said: to count them, all of them would have to be read.
const back = "; bets get their stakes back when it is settled"

// InWords is what a result or a cancellation comes to, for people: "void: 6 of 7 balls;
// bets get their stakes back when it is settled". Empty for other messages.
func InWords(m *Message) string {
	switch {
	case m.Type == DrawCancelled:
		text := m.Reason
		if reason, known := m.Game.CancelReason(m.Reason); known {
			text = reason.Text
		}
		return "cancelled: " + text + back
	case m.Type != DrawResulted:
		return ""
	case m.Resolution.Void.Reason != "":
		return "void: " + m.Resolution.Void.Seen + back
	}
	var document strictjson.Document
	outcome, _ := document.Parse("", OutcomeOf(m).Outcome) // which tally has just written
	return "resolved: " + strings.ReplaceAll(strings.Join(membersInWords(outcome, ""), ", "), "_", " ")
}

// membersInWords are the members of an outcome as names and values. Those that are false
// are left out, and lists of hands and seats.
func membersInWords(v strictjson.Value, before string) (parts []string) {
	o, is := v.Object()
	if !is {
		return nil
	}
	for member := range o.Members {
		name := before + member.Name()
		switch raw := string(member.Raw()); {
		case raw == "false" || strings.HasPrefix(raw, "[{"):
		case raw == "true":
			parts = append(parts, name)
		case raw[0] == '{':
			parts = append(parts, membersInWords(member, name+" ")...)
		default:
			parts = append(parts, name+" "+strings.NewReplacer("[", "", "]", "", `"`, "", ",", " ").Replace(raw))
		}
	}
	return parts
}
