package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/disputes"
	"tally/lib/pipeline/placing"
	"tally/lib/store"
)

// openDispute stores a dispute. It changes nothing by itself: an operator decides.
func openDispute(ctx context.Context, r *request) (any, error) {
	body := *r.body.(*v1.DisputeRequest)
	r.path["draw"] = body.Draw
	d, err := r.draw(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.disputedBets(ctx, d.Head, body.Bets); err != nil {
		return nil, err
	}
	dispute, replay, err := disputes.Create(ctx, r.api.table, r.Bookmaker, r.path["dispute"], body, r.api.now(), d.Head.RetainUntil)
	if used := (*disputes.UsedError)(nil); errors.As(err, &used) {
		p := newProblem(codeDisputeUsed, "%v", used)
		p.Differs = used.Differs
		return nil, p
	}
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if replay {
		status = http.StatusOK
	}
	return response{status: status, body: disputeOf(dispute)}, nil
}

// disputedBets refuses a dispute that names bets which the bookmaker does not
// have: an operator could uphold it, and nothing would come of it.
func (r *request) disputedBets(ctx context.Context, head *draw.Head, references []string) error {
	missing := make([]bool, len(references))
	reads, within := errgroup.WithContext(ctx)
	reads.SetLimit(batchParallel)
	for i, reference := range references {
		reads.Go(func() (err error) {
			defer recovered(&err)
			pk := store.BetsKey(head.Draw, r.Bookmaker, placing.Shard(reference, head.Shards))
			bet, err := r.api.table.GetBet(within, pk, store.BetKey(reference))
			missing[i] = bet == nil || bet.Refused != ""
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return err
	}
	var unknown []string
	p := newProblem(codeUnknownBets, "")
	for i, reference := range references {
		if missing[i] {
			unknown = append(unknown, reference)
			p.Errors = append(p.Errors, v1.FieldProblem{Code: codeUnknownBets, At: fmt.Sprintf("/bets/%d", i), Detail: fmt.Sprintf("there is no bet %s on draw %s", reference, head.Draw)})
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	// A dispute that is stored already is answered as stored.
	if _, err := disputes.Get(ctx, r.api.table, r.Bookmaker, r.path["dispute"]); !errors.Is(err, disputes.ErrUnknown) {
		return err
	}
	p.Detail = fmt.Sprintf("these are no bets of yours on draw %s: %s", head.Draw, strings.Join(unknown, ", "))
	return p
}

// disputeOf writes a dispute. One whose order is still under way is open to the
// bookmaker: nothing is refunded before the order is stored.
func disputeOf(d *disputes.Case) v1.Dispute {
	shown := v1.Dispute{Dispute: d.ID, DisputeRequest: d.Request, CreatedAt: instant.Format(d.CreatedAt), Order: d.Order, Status: string(disputes.Open)}
	if !d.Status.Decided() {
		return shown
	}
	shown.Status = string(d.Status)
	if d.Decision != nil {
		shown.DecidedAt, shown.DecisionReason = instant.Format(d.Decision.At), d.Decision.Reason
	}
	return shown
}

// getDispute answers a dispute.
func getDispute(ctx context.Context, r *request) (any, error) {
	dispute, err := disputes.Get(ctx, r.api.table, r.Bookmaker, r.path["dispute"])
	if errors.Is(err, disputes.ErrUnknown) {
		return nil, newProblem(codeUnknownDisput, "there is no dispute %s", r.path["dispute"])
	}
	if err != nil {
		return nil, err
	}
	return disputeOf(dispute), nil
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
	found, next, err := disputes.List(ctx, r.api.table, r.Bookmaker, from, last, r.limit())
	if err != nil {
		return nil, err
	}
	list := v1.Disputes{Disputes: []v1.Dispute{}}
	for _, dispute := range found {
		list.Disputes = append(list.Disputes, disputeOf(dispute))
	}
	if next != "" {
		list.Next = writeCursor(next)
	}
	return list, nil
}
