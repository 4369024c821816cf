package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"tally/lib/archive/commitment"
	"tally/lib/archive/disclosure"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// What a settlement commits to is kept in one item, up to so many bookmakers: less than
// 300 KB, of the 400 KB that an item may have. Of more it is made in parts of so many
// bookmakers, or lines, at most (or of one bookmaker), and so many parts by one message:
// another one goes on with those that are still to be made.
const (
	partBookmakers = 1000
	partLines      = 1_000_000
	partsAtOnce    = 8
)

// ErrMore says that more parts of a settlement's commitments are to be made than one
// message makes: it has to be handled again.
var ErrMore = errors.New("parts of the settlement's commitments are still to be made")

// commitments returns what a settlement commits to. It is made once: the secret
// in it is random, and every try must come to the same entry.
func (a *Archive) commitments(ctx context.Context, r records, state int, done map[string][]*record.Done) (*commitment.Set, error) {
	set, err := disclosure.Kept(r.Item, state)
	if err != nil || set != nil {
		return set, err
	}
	bookmakers := slices.Sorted(maps.Keys(done))
	_, begun := r.Item(store.CommitmentPartKey(state, 0))
	if begun || len(bookmakers) > cmp.Or(a.PartBookmakers, partBookmakers) {
		return a.inParts(ctx, r, state, bookmakers, done)
	}
	set = &commitment.Set{}
	if set.Secret, err = a.secret(); err != nil {
		return nil, err
	}
	if set.Commitments, err = a.commit(ctx, r.ID, state, set.Secret, bookmakers, done); err != nil {
		return nil, err
	}
	return once(ctx, a, r, store.CommitmentKey(state), set)
}

// inParts makes the parts that are missing of what a settlement commits to.
func (a *Archive) inParts(ctx context.Context, r records, state int, bookmakers []string, done map[string][]*record.Done) (*commitment.Set, error) {
	parts, err := a.parts(ctx, r, state, bookmakers, done)
	if err != nil {
		return nil, err
	}
	set, made := &commitment.Set{Secret: parts.Secret}, 0
	for i, until := range parts.Until {
		n, _ := slices.BinarySearch(bookmakers, until+"\x00")
		some := bookmakers[:n]
		bookmakers = bookmakers[n:]
		if item, is := r.Item(store.CommitmentPartKey(state, i+1)); is {
			part, err := store.Decode[commitment.Part](item)
			if err != nil {
				return nil, err
			}
			set.Commitments = append(set.Commitments, part.Commitments...)
			continue
		}
		if made++; made > partsAtOnce {
			return nil, ErrMore
		}
		part := &commitment.Part{}
		if part.Commitments, err = a.commit(ctx, r.ID, state, parts.Secret, some, done); err != nil {
			return nil, err
		}
		// Before this the part is made again; after it every try takes it. All tries make
		// the same of it: the secret is that of the list.
		if part, err = once(ctx, a, r, store.CommitmentPartKey(state, i+1), part); err != nil {
			return nil, err
		}
		set.Commitments = append(set.Commitments, part.Commitments...)
	}
	if len(bookmakers) > 0 {
		return nil, fmt.Errorf("the commitments of draw %s, state %d, end before %s, which is settled, too", r.ID, state, bookmakers[0])
	}
	return set, nil
}

// parts returns the list of a settlement's parts, which is made first, once.
func (a *Archive) parts(ctx context.Context, r records, state int, bookmakers []string, done map[string][]*record.Done) (*commitment.Parts, error) {
	if item, begun := r.Item(store.CommitmentPartKey(state, 0)); begun {
		return store.Decode[commitment.Parts](item)
	}
	secret, err := a.secret()
	if err != nil {
		return nil, err
	}
	parts := &commitment.Parts{Secret: secret}
	count, lines := 0, 0
	for i, bookmaker := range bookmakers {
		of := linesOf(done[bookmaker])
		if count > 0 && (count == cmp.Or(a.PartBookmakers, partBookmakers) || lines+of > partLines) {
			parts.Until, count, lines = append(parts.Until, bookmakers[i-1]), 0, 0
		}
		count, lines = count+1, lines+of
	}
	parts.Until = append(parts.Until, bookmakers[len(bookmakers)-1])
	return once(ctx, a, r, store.CommitmentPartKey(state, 0), parts)
}

func linesOf(shards []*record.Done) (lines int) {
	for _, shard := range shards {
		lines += shard.Lines
	}
	return lines
}

func (a *Archive) secret() ([]byte, error) {
	secret := make([]byte, 32)
	if _, err := io.ReadFull(a.Random, secret); err != nil {
		return nil, fmt.Errorf("making a secret: %w", err)
	}
	return secret, nil
}

// once writes an item of the draw's that is written once, and returns what is there.
// Before this write another try makes another one; after it every try, this one too, takes
// the one that was written first.
func once[T any](ctx context.Context, a *Archive, r records, sk string, value *T) (*T, error) {
	item := store.Item{PK: store.DrawKey(r.ID), SK: sk, Body: store.Encode(value), ExpiresAt: r.Head.RetainUntil}
	err := a.Table.Create(ctx, item)
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return store.Decode[T](exists.Item)
	}
	return value, err
}

// commit returns the commitments to some bookmakers, in their order.
func (a *Archive) commit(ctx context.Context, draw string, state int, secret []byte, bookmakers []string, done map[string][]*record.Done) ([]commitment.Commitment, error) {
	all := make([]commitment.Commitment, len(bookmakers))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, a.Parallel))
	for i, bookmaker := range bookmakers {
		group.Go(func() error {
			report := commitment.NewReport(secret, bookmaker)
			var totals settlement.Totals
			for shard, d := range done[bookmaker] {
				totals.Merge(d.Totals)
				if err := a.addLines(ctx, report, store.ReportKey(draw, state, bookmaker, shard), d); err != nil {
					return err
				}
			}
			all[i] = report.Commit(totals)
			return nil
		})
	}
	return all, group.Wait()
}
