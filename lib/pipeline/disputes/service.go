package disputes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// Sender sends a message to one queue. When it returns nil the message is durable.
type Sender interface {
	Send(ctx context.Context, body string, delay time.Duration) error
}

// Service is where operators decide disputes.
type Service struct {
	Table  *store.Table
	Orders Sender // the queue operator-orders
	Now    func() settlement.Instant
}

// DecidedError says that the dispute has been decided otherwise.
type DecidedError struct{ Dispute *Case }

func (e *DecidedError) Error() string {
	d := e.Dispute
	if d.Decision == nil {
		return fmt.Sprintf("it is %s by order %s, which was sent without `tally disputes`", d.Status, d.Order)
	}
	verdict := Upheld
	if d.Decision.Verdict == Rejected {
		verdict = Rejected
	}
	return fmt.Sprintf("it was %s at %s: %s", verdict, instant.Format(d.Decision.At), d.Decision.Reason)
}

// ReasonError refuses the reason of a decision: the bookmaker gets to see it, so it has to
// be there and fit into a message.
type ReasonError struct{ Reason string }

func (e *ReasonError) Error() string { return e.Reason }

// maxReason is the longest reason of a decision, in bytes.
const maxReason = 200

func checkReason(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return &ReasonError{Reason: "give a reason: the bookmaker sees it"}
	case len(text) > maxReason || !utf8.ValidString(text):
		return &ReasonError{Reason: fmt.Sprintf("the reason has %d bytes; write at most %d bytes of UTF-8", len(text), maxReason)}
	}
	return nil
}

// Pending yields the disputes of all bookmakers that nobody has decided, or whose
// order is not stored yet, the oldest first. What it finds decided it takes off the
// list.
func (d *Service) Pending(ctx context.Context) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		for item, err := range d.Table.Query(ctx, store.PendingKey, "") {
			if err != nil {
				yield(nil, err)
				return
			}
			dispute, err := d.pending(ctx, item)
			if err == nil && dispute == nil {
				continue
			}
			if !yield(dispute, err) || err != nil {
				return
			}
		}
	}
}

// pending reads what an item of the list names; nil when nothing is to be done
// about it any more.
func (d *Service) pending(ctx context.Context, item store.Item) (*Case, error) {
	_, name, _ := strings.Cut(item.SK, "#")
	bookmaker, id, _ := strings.Cut(name, "#")
	// It was written together with the item, which may be seen first.
	if _, _, err := d.Table.Sure(ctx, store.DisputesKey(bookmaker), store.DisputeKey(id)); err != nil {
		return nil, err
	}
	dispute, err := Get(ctx, d.Table, bookmaker, id)
	if err != nil && !errors.Is(err, ErrUnknown) {
		return nil, err
	}
	if err == nil && !dispute.Status.Decided() {
		return dispute, nil
	}
	// It has expired, or it is decided, which is never undone.
	return nil, d.Table.Delete(ctx, item.PK, item.SK)
}

// Uphold decides for the bookmaker and sends the order that voids the bets. Again
// is the same, and sends the order again unless it is stored. An empty reason is
// the bookmaker's own.
func (d *Service) Uphold(ctx context.Context, bookmaker, id, reason string) (*Case, error) {
	dispute, err := Get(ctx, d.Table, bookmaker, id)
	if err != nil {
		return nil, err
	}
	if dispute.Status == Upheld {
		return dispute, nil
	}
	if reason == "" {
		reason = dispute.Reason
	} else if err := checkReason(reason); err != nil {
		return nil, err
	}
	if dispute.Decision == nil {
		message, err := d.order(ctx, dispute, reason)
		if err != nil {
			return nil, err
		}
		if err := d.decide(ctx, dispute, Decision{Verdict: Ordered, Reason: reason, At: d.Now(), Message: message}); err != nil {
			return nil, err
		}
	}
	if dispute.Decision.Verdict != Ordered {
		return nil, &DecidedError{Dispute: dispute}
	}
	// Before the send it is decided and stays on the list; whoever upholds it again
	// sends the same order. After it intake stores the order, however often it comes.
	if err := d.Orders.Send(ctx, dispute.Decision.Message, 0); err != nil {
		return nil, fmt.Errorf("sending the order of dispute %s of %s, which is decided: %w", id, bookmaker, err)
	}
	return dispute, nil
}

// Reject decides against the bookmaker, who gets the reason. Again is the same.
func (d *Service) Reject(ctx context.Context, bookmaker, id, reason string) (*Case, error) {
	if err := checkReason(reason); err != nil {
		return nil, err
	}
	dispute, err := Get(ctx, d.Table, bookmaker, id)
	if err != nil {
		return nil, err
	}
	if dispute.Status == Open {
		if err := d.decide(ctx, dispute, Decision{Verdict: Rejected, Reason: reason, At: d.Now()}); err != nil {
			return nil, err
		}
	}
	if dispute.Status != Rejected || dispute.Decision.Reason != reason {
		return nil, &DecidedError{Dispute: dispute}
	}
	// A crash before this leaves it on the list, which takes it off when it is read.
	return dispute, d.Table.Delete(ctx, store.PendingKey, store.PendingDisputeKey(dispute.CreatedAt, bookmaker, id))
}

// decide writes a decision, unless there is one, and notes in the dispute which
// one holds.
func (d *Service) decide(ctx context.Context, dispute *Case, decision Decision) error {
	item := store.Item{PK: store.DisputesKey(dispute.Bookmaker), SK: store.DecisionKey(dispute.ID), Body: store.Encode(decision), ExpiresAt: dispute.expiresAt}
	err := d.Table.Create(ctx, item)
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return dispute.decided(exists.Item)
	}
	if err != nil {
		return err
	}
	return dispute.decided(item)
}

// order returns the message that voids what the dispute names.
func (d *Service) order(ctx context.Context, dispute *Case, reason string) (string, error) {
	head, version, err := record.LoadHead(ctx, d.Table, dispute.Draw)
	if err != nil {
		return "", err
	}
	if version == 0 {
		return "", fmt.Errorf("there is no draw %s any more: no order can void its bets; reject the dispute", dispute.Draw)
	}
	type scope struct {
		Bookmaker string   `json:"bookmaker"`
		Bets      []string `json:"bets,omitempty"`
	}
	body, err := json.Marshal(struct {
		Schema   int       `json:"schema"`
		ID       string    `json:"id"`
		Type     wire.Type `json:"type"`
		Game     string    `json:"game"`
		Table    string    `json:"table"`
		Draw     string    `json:"draw"`
		At       string    `json:"at"`
		Order    string    `json:"order"`
		Scope    scope     `json:"scope"`
		Reason   string    `json:"reason"`
		Evidence string    `json:"evidence"`
	}{
		Schema: 1,
		ID:     dispute.Order,
		Type:   wire.BetsVoided,
		Game:   head.Game,
		Table:  head.Table,
		Draw:   dispute.Draw,
		At:     instant.Format(d.Now()),
		Order:  dispute.Order,

		Scope:    scope{Bookmaker: dispute.Bookmaker, Bets: dispute.Bets},
		Reason:   reason,
		Evidence: evidenceOf(dispute),
	})
	if err != nil {
		return "", fmt.Errorf("encoding an order: %w", err)
	}
	// What intake would refuse is not decided: the dispute stays as it is.
	game, err := head.Rules()
	if err != nil {
		return "", err
	}
	parsed, _, faults := wire.ParseUnder(body, game)
	if len(faults) > 0 {
		return "", fmt.Errorf("its order would be refused: %s: %s", faults[0].Code, faults[0].Message)
	}
	if err := head.Apply(parsed, 0, d.Now(), draw.Settings{}); err != nil {
		return "", fmt.Errorf("its order would be refused: %w", err)
	}
	return string(body), nil
}

// evidenceOf names the dispute and what the bookmaker shows for it, as much as an
// order may hold.
func evidenceOf(d *Case) string {
	text := "dispute " + d.ID + " of " + d.Bookmaker + ": " + d.Evidence
	if len(text) <= wire.MaxNote {
		return text
	}
	end := wire.MaxNote - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
