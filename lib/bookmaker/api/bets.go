package api

import (
	"context"
	"strconv"
	"strings"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// endOfBets sorts after every bet of a partition.
const endOfBets = "BET#~"

// listBets lists a bookmaker's bets on a draw, shard by shard.
func listBets(ctx context.Context, r *request) (any, error) {
	d, err := r.draw(ctx)
	if err != nil {
		return nil, err
	}
	cursor, err := r.readCursor(2)
	if err != nil {
		return nil, err
	}
	shard, from := 0, store.BetKey("")
	if cursor != nil {
		if shard, err = strconv.Atoi(cursor[0]); err != nil || shard < 0 || shard >= d.Head.Shards || !strings.HasPrefix(cursor[1], from) || cursor[1] > endOfBets {
			return nil, r.badCursor()
		}
		from = cursor[1]
	}
	history, err := settle.LoadHistory(ctx, d, r.Bookmaker)
	if err != nil {
		return nil, err
	}
	list := v1.Bets{Bets: []v1.BetDetail{}}
	for looked := 0; shard < d.Head.Shards && len(list.Bets) < r.limit() && looked < maxShards; looked++ {
		records, next, err := r.wholeBets(ctx, store.BetsKey(d.ID, r.Bookmaker, shard), from, r.limit()-len(list.Bets))
		if err != nil {
			return nil, err
		}
		details, err := detailsOf(history, records, d, r.api.now())
		if err != nil {
			return nil, err
		}
		list.Bets = append(list.Bets, details...)
		if from = next; from == "" {
			shard, from = shard+1, store.BetKey("")
		}
	}
	if shard < d.Head.Shards {
		list.Next = writeCursor(strconv.Itoa(shard), from)
	}
	return list, nil
}

// maxShards is how many parts of shards one request reads.
const maxShards = 16

// wholeBets reads the records of at most so many bets from a key on, and the key
// from which the rest is to be read; empty at the end of the partition.
func (r *request) wholeBets(ctx context.Context, pk, from string, bets int) (records []store.StoredBet, next string, err error) {
	for limit := 2*bets + 20; ; limit *= 4 {
		records, err = r.api.table.BetsSpan(ctx, pk, store.Span{From: from, To: endOfBets, Limit: limit})
		if err != nil {
			return nil, "", err
		}
		whole, next := cutBets(records, bets, len(records) == limit)
		if len(whole) > 0 || len(records) < limit || limit > maxRecords {
			return whole, next, nil
		}
	}
}

// cutBets returns the records of at most so many whole bets, and the key of the
// next; with more to come the last bet may not be whole.
func cutBets(records []store.StoredBet, bets int, more bool) (whole []store.StoredBet, next string) {
	end, count, last := 0, 0, ""
	for i, record := range records {
		reference, _, _ := strings.Cut(strings.TrimPrefix(record.SK, store.BetKey("")), "#")
		if i > 0 && reference == last {
			continue
		}
		end = i // everything before is whole
		if count == bets {
			return records[:end], record.SK
		}
		count, last = count+1, reference
	}
	if more {
		return records[:end], records[end].SK
	}
	return records, ""
}
