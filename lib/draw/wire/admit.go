package wire

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tally/lib/draw/ids"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// The limits of a betting round.
const (
	// MaxTableAhead is how far, in milliseconds, the time of a message about a table may be
	// ahead: the latest holds, so that a slip would suspend the table until then.
	MaxTableAhead = 60_000
	MaxRoundTime  = 24 * time.Hour      // that it lasts
	MaxRoundAhead = 31 * 24 * time.Hour // that it closes after it is stored
)

// CorrectionReasons are why a result may be corrected.
var CorrectionReasons = []string{"video_review", "scanner_error", "data_entry_error", "equipment_error", "presenter_error", "dealer_error", "rules_review"}

// Admit returns what is wrong with a message that comes at a time, beyond what
// [Parse] asks also of one that is stored: earlier versions took more, and what they
// have stored has to be read for ever.
func (m *Message) Admit(now settlement.Instant) (faults []Fault) {
	fault := func(code, format string, args ...any) {
		faults = append(faults, Fault{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	for _, named := range m.ids() {
		if named.id != "" && !ids.ValidNew(named.id) {
			fault(CodeBadID, "%s: %q is no identifier: in addresses it means a folder", named.path, named.id)
		}
	}
	if _, known := bodies[m.Type]; !known && !m.Type.IsTable() {
		fault(CodeUnknownType, "type: there are no messages of type %q", m.Type)
	}
	if m.Type == DrawCancelled && m.Reason == "" {
		fault(CodeUnknownReason, "reason: it is empty; `tally games %s` lists the reasons", m.Game.ID)
	}
	for _, path := range m.spelled {
		fault(CodeBadTime, "%s: write RFC 3339 in UTC with milliseconds, such as 2026-11-30T12:00:00.000Z: two digits an hour, and a point", path)
	}
	for _, round := range append(slices.Clone(m.Rounds), m.Times) {
		if lasts := time.Duration(round.ClosesAt-round.OpensAt) * time.Millisecond; lasts > MaxRoundTime {
			fault(CodeBadTime, "betting round %d lasts %s, at most %s are allowed", round.Round, lasts, MaxRoundTime)
		}
		if round.ClosesAt-now > settlement.Instant(MaxRoundAhead.Milliseconds()) {
			fault(CodeBadTime, "betting round %d closes at %s; more than %d days ahead nothing is opened", round.Round, instant.Format(round.ClosesAt), MaxRoundAhead/(24*time.Hour))
		}
	}
	if m.Type == TableSuspended && m.Reason == "" {
		fault(CodeUnknownReason, "reason: it is empty; bookmakers are shown why the table takes no bets")
	}
	if m.Type.IsTable() && m.At > now+MaxTableAhead {
		fault(CodeBadTime, "at: %s is ahead of tally's clock by more than %d seconds, and would hold until then: set the studio's clock right", instant.Format(m.At), MaxTableAhead/1000)
	}
	if m.Corrects && !slices.Contains(CorrectionReasons, m.Correction) {
		fault(CodeUnknownReason, "correction.reason: %.60q is no reason to correct a result; there are %s", m.Correction, strings.Join(CorrectionReasons, ", "))
	}
	return faults
}

type namedID struct{ path, id string }

// ids returns the identifiers of a message with where they stand.
func (m *Message) ids() []namedID {
	ids := []namedID{{"id", m.ID}, {"table", m.Table}, {"draw", m.Draw}, {"order", m.Order}, {"revokes", m.Revokes},
		{"scope.bookmaker", m.Scope.Bookmaker}, {"scope.shop", m.Scope.Shop}}
	for _, reference := range m.Scope.Bets {
		ids = append(ids, namedID{path: "scope.bets", id: reference})
	}
	return append(ids, m.equipment...)
}
