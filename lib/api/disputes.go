package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "tally/lib/api/v1"
	"tally/lib/store"
	"tally/lib/wire"
)

// A dispute is stored once. It changes nothing by itself: an operator decides, by
// an order under the id that the dispute names, and whether that order is stored is
// the dispute's status.

// The statuses of a dispute.
const (
	disputeOpen   = "open"
	disputeUpheld = "upheld"
)

// openDispute stores a dispute.
func openDispute(ctx context.Context, r *request) (any, error) {
	body := *r.body.(*v1.DisputeRequest)
	id := r.path["dispute"]
	r.path["draw"] = body.Draw
	head, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(body.Bets)
	dispute := v1.Dispute{Dispute: id, DisputeRequest: body, CreatedAt: wire.FormatTime(r.api.now()), Order: orderOf(r.Bookmaker, id)}
	text, err := json.Marshal(dispute)
	if err != nil {
		return nil, fmt.Errorf("encoding a dispute: %w", err)
	}
	err = r.api.table.Create(ctx, store.Item{PK: store.DisputesKey(r.Bookmaker), SK: store.DisputeKey(id), Body: string(text), ExpiresAt: head.RetainUntil})
	status := http.StatusCreated
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		there, err := decodeDispute(exists.Item)
		if err != nil {
			return nil, err
		}
		if differs := differences(&there.DisputeRequest, &body); len(differs) > 0 {
			p := newProblem(codeDisputeUsed, "another dispute has this id; it differs in %s", strings.Join(differs, ", "))
			p.Differs = differs
			return nil, p
		}
		dispute, status = *there, http.StatusOK
	} else if err != nil {
		return nil, err
	}
	if err := r.decide(ctx, &dispute); err != nil {
		return nil, err
	}
	return answered{status: status, body: dispute}, nil
}

// orderOf is the id of the order by which an operator decides a dispute.
func orderOf(bookmaker, id string) string {
	sum := sha256.Sum256([]byte(bookmaker + "#" + id))
	return "dispute-" + hex.EncodeToString(sum[:8])
}

func differences(a, b *v1.DisputeRequest) (fields []string) {
	for _, field := range []struct {
		name string
		same bool
	}{{"draw", a.Draw == b.Draw}, {"bets", slices.Equal(a.Bets, b.Bets)}, {"reason", a.Reason == b.Reason}, {"evidence", a.Evidence == b.Evidence}} {
		if !field.same {
			fields = append(fields, field.name)
		}
	}
	return fields
}

func decodeDispute(item store.Item) (*v1.Dispute, error) {
	dispute := new(v1.Dispute)
	if err := json.Unmarshal([]byte(item.Body), dispute); err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	return dispute, nil
}

// decide fills in whether a dispute's order is stored.
func (r *request) decide(ctx context.Context, dispute *v1.Dispute) error {
	_, decided, err := r.api.table.Get(ctx, store.DrawKey(dispute.Draw), store.OrderKey(dispute.Order))
	dispute.Status = disputeOpen
	if decided {
		dispute.Status = disputeUpheld
	}
	return err
}

// getDispute answers a dispute.
func getDispute(ctx context.Context, r *request) (any, error) {
	item, found, err := r.api.table.Get(ctx, store.DisputesKey(r.Bookmaker), store.DisputeKey(r.path["dispute"]))
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, newProblem(codeUnknownDisput, "there is no dispute %s", r.path["dispute"])
	}
	dispute, err := decodeDispute(item)
	if err != nil {
		return nil, err
	}
	return dispute, r.decide(ctx, dispute)
}

// listDisputes lists a bookmaker's disputes by their ids.
func listDisputes(ctx context.Context, r *request) (any, error) {
	cursor, err := r.readCursor(1)
	if err != nil {
		return nil, err
	}
	first, last := store.DisputeKey(""), store.DisputeKey("~")
	from := first
	if cursor != nil {
		if from = cursor[0]; from < first || from > last {
			return nil, r.badCursor()
		}
	}
	items, err := r.api.table.Span(ctx, store.DisputesKey(r.Bookmaker), store.Span{From: from, To: last, Limit: r.limit()})
	if err != nil {
		return nil, err
	}
	list := v1.Disputes{Disputes: []v1.Dispute{}}
	for _, item := range items {
		dispute, err := decodeDispute(item)
		if err != nil {
			return nil, err
		}
		if err := r.decide(ctx, dispute); err != nil {
			return nil, err
		}
		list.Disputes = append(list.Disputes, *dispute)
	}
	if len(items) == r.limit() {
		list.Next = writeCursor(store.Next(items[len(items)-1].SK))
	}
	return list, nil
}
