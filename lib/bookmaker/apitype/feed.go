package apitype

import (
	"fmt"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
)

// FeedEntryOf writes a report as the feed and webhooks tell it.
func FeedEntryOf(e settle.Entry) FeedEntry {
	told := FeedEntry{Sequence: e.Sequence, Draw: e.Draw, Game: e.Game, State: e.State, Replaces: e.Replaces, At: wire.FormatTime(e.At),
		Totals: TotalsOf(e.Totals), Pages: []Page{}}
	if len(e.Before) > 0 {
		told.Before = TotalsOf(e.Before)
	}
	for _, shard := range e.Shards {
		told.Lines += shard.Lines
		for page := 1; page <= shard.Pages; page++ {
			told.Pages = append(told.Pages, Page{Shard: shard.Shard, Page: page,
				Href: fmt.Sprintf("/v1/draws/%s/reports/%d/%d/%d", e.Draw, e.State, shard.Shard, page)})
		}
	}
	return told
}

// TotalsOf writes totals.
func TotalsOf(book settlement.Book) []Totals {
	list := []Totals{}
	for _, t := range book {
		list = append(list, Totals{Currency: t.Currency.Code(), Bets: t.Bets, Stake: string(t.Stake.AppendTo(nil, t.Currency)),
			Payout: string(t.Payout.AppendTo(nil, t.Currency)), Won: t.Won, Lost: t.Lost, Refunded: t.Refunded})
	}
	return list
}
