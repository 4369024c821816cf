// Package store keeps tally's records in one DynamoDB table: what a draw is,
// what was bet, how it was settled and who was notified. Items are added, not
// changed; the few that do change (a draw's head, its run, a feed's counter)
// change by compare-and-swap on their version.
//
// Reads that decide something are consistent reads of the table itself; the one that is
// not, [Table.GetEventually], is made sure of by another. On a
// failed condition the store reads what is there and says so: after an answer
// was lost, an SDK's retry makes success look like a conflict.
package store

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"tally/lib/rulebook/settlement"
)

// This file is the only place where keys are built. References, draws and
// bookmakers are identifiers without '#', so parts can't run into each other.

// DrawKey is the partition of everything about a draw but its bets and reports.
func DrawKey(draw string) string { return "DRAW#" + draw }

// Sort keys in a draw's partition.
const (
	HeadKey   = "HEAD"
	OpenedKey = "OPENED"
	SweepKey  = "SWEEP"
)

// RoundKey is a betting.opened: a round's odds board and visible cards.
func RoundKey(round int) string { return fmt.Sprintf("ROUND#%d", round) }

// ClosedKey is a betting.closed.
func ClosedKey(round int) string { return fmt.Sprintf("CLOSED#%d", round) }

// StopKey is a betting.closed of some selections, which a hash of their set names.
func StopKey(round int, set string) string { return ClosedKey(round) + "#" + set }

// RevisionPrefix begins the results and cancellations.
const RevisionPrefix = "REV#"

// RevisionKey is a result or cancellation.
func RevisionKey(revision int) string { return fmt.Sprintf("%s%04d", RevisionPrefix, revision) }

// OrderKey is an order to void or a revocation.
func OrderKey(order string) string { return "ORDER#" + order }

// StateKey is a state.
func StateKey(state int) string { return fmt.Sprintf("STATE#%06d", state) }

// PartPrefix begins the registry of bookmakers with bets on the draw.
const PartPrefix = "PART#"

// PartKey is a bookmaker's entry in the registry.
func PartKey(bookmaker string) string { return PartPrefix + bookmaker }

// HeldPrefix begins the marks of a draw's messages in quarantine.
const HeldPrefix = "HELD#"

// HeldKey marks that a message of the draw sits in a partition of quarantine, by the
// hash of its bytes: the same bytes may sit there under two days.
func HeldKey(quarantine, hash string) string {
	return HeldPrefix + strings.TrimPrefix(quarantine, quarantinePrefix) + "#" + hash
}

// HeldOf returns where a message sits in quarantine, by what follows HeldPrefix in its mark.
func HeldOf(rest string) (pk, sk string) {
	day, hash, _ := strings.Cut(rest, "#")
	return quarantinePrefix + day, hash
}

// DonePrefix begins the partitions that are done for a state.
func DonePrefix(state int) string { return fmt.Sprintf("DONE#%06d#", state) }

// DoneKey says that a partition is done for a state.
func DoneKey(state int, bookmaker string, shard int) string {
	return fmt.Sprintf("%s%s#%03d", DonePrefix(state), bookmaker, shard)
}

// FedPrefix begins the markers of the bookmakers that were notified of a state.
func FedPrefix(state int) string { return fmt.Sprintf("FED#%06d#", state) }

// FedKey says that a bookmaker was notified of a state.
func FedKey(state int, bookmaker string) string { return FedPrefix(state) + bookmaker }

// BetsKey is the partition of a bookmaker's bets on a draw in one shard.
func BetsKey(draw, bookmaker string, shard int) string {
	return fmt.Sprintf("BETS#%s#%s#%d", draw, bookmaker, shard)
}

// BetKey is a bet, or the refusal at its reference.
func BetKey(reference string) string { return "BET#" + reference }

// CancelKey is the bookmaker's cancellation of a bet.
func CancelKey(reference string) string { return "BET#" + reference + "#cancel" }

// WagerKey is a side wager of a bet: a double, split or insurance.
func WagerKey(reference, selection string) string { return "BET#" + reference + "#" + selection }

// ReportKey is the partition of the pages of one shard's report.
func ReportKey(draw string, state int, bookmaker string, shard int) string {
	return fmt.Sprintf("REPORT#%s#%d#%s#%d", draw, state, bookmaker, shard)
}

// PageKey is a page of a report, from 1.
func PageKey(page int) string { return fmt.Sprintf("%06d", page) }

// FeedKey is the partition of a bookmaker's feed.
func FeedKey(bookmaker string) string { return "FEED#" + bookmaker }

// EntryKey is an entry of a feed, from 1.
func EntryKey(sequence int64) string { return fmt.Sprintf("%012d", sequence) }

// CounterKey is the number of the newest entry; it sorts after the entries.
const CounterKey = "COUNTER"

// DueParts is how many partitions the draws are spread over that are due in the same minute: one
// takes 1,000 write units a second, and each draw that is moved takes two of two minutes.
const DueParts = 8

// DueKey is a part of what is due in a minute, from 0. The first has the key that all had before
// there were several.
func DueKey(at settlement.Instant, part int) string {
	key := "DUE#" + time.UnixMilli(int64(at)).UTC().Format("200601021504")
	if part > 0 {
		key += fmt.Sprintf("#%d", part)
	}
	return key
}

// IsDue tells whether a partition is of what is due in a minute.
func IsDue(pk string) bool { return strings.HasPrefix(pk, "DUE#") }

// DuePart is the part of every minute that a draw is in. What was stored before there were
// parts is in the first.
func DuePart(draw string) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(draw)) // never fails
	return int(hash.Sum32() % DueParts)
}

// DueDrawKey is a draw in the partition of a minute, while it is at that stage: it
// has that state.
func DueDrawKey(draw string, stage int) string { return fmt.Sprintf("%s#%d", draw, stage) }

// DueOf reads the key of a draw that is due.
func DueOf(sk string) (draw string, stage int, err error) {
	draw, text, _ := strings.Cut(sk, "#")
	if stage, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("reading the key %q of a draw that is due: %w", sk, err)
	}
	return draw, stage, nil
}

// ReconcileKey is both keys of the item that says up to where reconcile had worked when it
// looked at the draws itself, and the partition of the one that took its place.
const ReconcileKey = "RECONCILE"

// CursorKey is up to where reconcile has sent looks.
const CursorKey = "CURSOR"

// SendersKey is both keys of the one item that says who may speak for which tables.
const SendersKey = "SENDERS"

// ReleasedIn is the partition of what operators have released of a draw. It is not the draw's
// own, in which they must not write: a policy knows partitions, not items.
func ReleasedIn(draw string) string { return "RELEASED#" + draw }

// ReleasedKey marks that an operator has released a late correction of the draw, by the
// hash of its content, or a settlement that was held, by the key of its state.
func ReleasedKey(hash string) string { return "RELEASED#" + hash }

const quarantinePrefix = "QUARANTINE#"

// QuarantineKey is the partition of the messages quarantined on a day.
func QuarantineKey(at settlement.Instant) string {
	return quarantinePrefix + time.UnixMilli(int64(at)).UTC().Format("20060102")
}

// TableKey is the partition of a table of the studio's.
func TableKey(table string) string { return "TABLE#" + table }

// SequenceKey is the running numbers of a table that came last.
const SequenceKey = "SEQUENCE"

// TableStateKey is what the studio says of a table: suspended, resumed, alive.
const TableStateKey = "STATE"

// ToldKey marks that a bookmaker was told of a table's state, by the time of its change.
func ToldKey(changedAt settlement.Instant, bookmaker string) string {
	return fmt.Sprintf("TOLD#%013d#%s", int64(changedAt), bookmaker)
}

// TablesKey is the partition that lists the tables of which the studio says so.
const TablesKey = "TABLES"

// CancelledKey is what the newest draws of a table came to.
const CancelledKey = "CANCELLED"

// DrawsKey is the partition that finds the draws whose first betting round opens
// on a day. It finds; what decides is the draw's head.
func DrawsKey(at settlement.Instant) string {
	return "DRAWS#" + time.UnixMilli(int64(at)).UTC().Format("20060102")
}

// FoundKey is a draw in the partition of its day: by the time at which it opens,
// and with what lists are filtered by.
func FoundKey(opensAt settlement.Instant, game, table, draw string) string {
	return FoundFrom(opensAt) + game + "#" + table + "#" + draw
}

// FoundFrom begins the keys of the draws that open at a time.
func FoundFrom(opensAt settlement.Instant) string { return fmt.Sprintf("%013d#", int64(opensAt)) }

// BookmakerKey is the partition of what is set for a bookmaker, and of its keys.
func BookmakerKey(bookmaker string) string { return "BOOKMAKER#" + bookmaker }

// Sort keys in a bookmaker's partition.
const (
	SettingsKey = "SETTINGS"
	PositionKey = "POSITION"
	// APIKeyPrefix begins a bookmaker's API keys.
	APIKeyPrefix = "KEY#"
)

// APIKeyKey is an API key of a bookmaker, by its public id.
func APIKeyKey(id string) string { return APIKeyPrefix + id }

// HookPrefix begins the endpoints of a bookmaker's webhooks.
const HookPrefix = "HOOK#"

// HookKey is an endpoint of a bookmaker's webhooks: what an operator has set.
func HookKey(id string) string { return HookPrefix + id }

// hookPosition ends the key of an endpoint's position.
const hookPosition = "#POSITION"

// HookPositionKey is how far an endpoint was notified, and when it is next.
func HookPositionKey(id string) string { return HookKey(id) + hookPosition }

// HookOf returns the endpoint that a sort key is about, and whether it is its
// position.
func HookOf(sk string) (id string, position bool) {
	return strings.CutSuffix(strings.TrimPrefix(sk, HookPrefix), hookPosition)
}

// HooksKey is the partition of the bookmakers that have webhooks.
const HooksKey = "HOOKS"

// PushesKey is the partition of what was sent to an endpoint, by time.
func PushesKey(bookmaker, id string) string { return "PUSHES#" + bookmaker + "#" + id }

// PushKey is what one worker sent in a row, from a time on.
func PushKey(at settlement.Instant, worker string) string {
	return fmt.Sprintf("%013d#%s", int64(at), worker)
}

// DisputesKey is the partition of a bookmaker's disputes.
func DisputesKey(bookmaker string) string { return "DISPUTES#" + bookmaker }

// DisputeKey is a dispute.
func DisputeKey(id string) string { return "DISPUTE#" + id }

// DecisionKey is the operator's decision of a dispute. It comes right after the
// dispute, so that one query reads both.
func DecisionKey(id string) string { return DisputeKey(id) + decision }

const decision = "#decision"

// IsDecision reports whether a key of the partition is that of a decision.
func IsDecision(sk string) bool { return strings.HasSuffix(sk, decision) }

// PendingKey is the partition that finds the disputes of all bookmakers that wait
// for an operator. It finds; what decides are the dispute and its decision.
const PendingKey = "DISPUTED"

// PendingDisputeKey is a dispute in that partition: the oldest first.
func PendingDisputeKey(createdAt settlement.Instant, bookmaker, id string) string {
	return fmt.Sprintf("%013d#%s#%s", int64(createdAt), bookmaker, id)
}

// TotalsKey is the partition of what a bookmaker's whole days came to.
func TotalsKey(bookmaker string) string { return "TOTALS#" + bookmaker }

// LogKey is the partition of a log's state.
func LogKey(origin string) string { return "LOG#" + origin }

// LogStateKey is a log's state: its size and root.
const LogStateKey = "STATE"

// LogSeenKey is the checkpoint of a log that the monitor saw last.
const LogSeenKey = "SEEN"

// LogEntriesKey is the partition of the entries about a draw that a log has.
func LogEntriesKey(origin, draw string) string { return "LOG#" + origin + "#" + draw }

// CommitmentKey is what a settlement commits to.
func CommitmentKey(state int) string { return fmt.Sprintf("COMMITMENT#%06d", state) }

// CommitmentsPrefix begins the parts of what a settlement of many bookmakers commits to.
func CommitmentsPrefix(state int) string { return CommitmentKey(state) + "#" }

// CommitmentPartKey is such a part, from 1. Part 0 says what the parts are.
func CommitmentPartKey(state, part int) string {
	return fmt.Sprintf("%s%06d", CommitmentsPrefix(state), part)
}
