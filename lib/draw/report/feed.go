package report

import (
	"fmt"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// Entry is an entry of a bookmaker's feed: the report of one draw under one
// state.
type Entry struct {
	Sequence int64              `json:"sequence"`
	Draw     string             `json:"draw"`
	Game     string             `json:"game"`
	State    int                `json:"state"`
	Replaces int                `json:"replaces,omitempty"` // the state reported before; 0 for none
	Shards   []Shard            `json:"shards"`
	Totals   settlement.Totals  `json:"totals"`           // of all the bookmaker's bets on the draw
	Before   settlement.Totals  `json:"before,omitempty"` // the same under the state replaced
	At       settlement.Instant `json:"at"`
	// PreviousAt is the time of the entry before it; zero for the first, and on entries of
	// earlier versions.
	PreviousAt settlement.Instant `json:"previous_at,omitempty"`
	// Table is how the draw's table stands, of an entry that tells it and is no report: then
	// it has no state, and no pages.
	Table *TableNews `json:"table,omitempty"`
}

// TableNews is that a table was suspended or resumed.
type TableNews struct {
	Table  string `json:"table"`
	Status string `json:"status"` // suspended or open
	Reason string `json:"reason,omitempty"`
	Since  string `json:"since"` // by the studio's clock
}

// Shard is one shard's part of a report.
type Shard struct {
	Shard int `json:"shard"`
	Pages int `json:"pages"`
	Lines int `json:"lines"`
}

// FeedEntry is a report in the feed.
type FeedEntry struct {
	Sequence int64  `json:"sequence"`
	Draw     string `json:"draw"`
	Game     string `json:"game"`
	State    int    `json:"state"`
	Replaces int    `json:"replaces,omitempty"` // the state reported before
	At       string `json:"at"`
	Lines    int    `json:"lines"`
	Totals   []Sums `json:"totals"`           // of all bets on the draw
	Before   []Sums `json:"before,omitempty"` // the same under the state replaced
	Pages    []Page `json:"pages"`
	// Table is how the draw's table stands. Such an entry is no report: its state is 0, and
	// it has no totals and no pages.
	Table *TableNews `json:"table,omitempty"`
}

// Page is a link to a page of a report.
type Page struct {
	Shard int    `json:"shard"`
	Page  int    `json:"page"`
	Href  string `json:"href"`
}

// Sums are sums of one currency.
type Sums struct {
	Currency string `json:"currency"`
	Bets     int    `json:"bets"`
	Stake    string `json:"stake"`
	Payout   string `json:"payout"`
	Won      int    `json:"won"`
	Lost     int    `json:"lost"`
	Refunded int    `json:"refunded"`
}

// Created is a report as webhooks push it.
type Created struct {
	Type      string    `json:"type"`      // report.created, table.suspended or table.resumed
	Timestamp string    `json:"timestamp"` // of the report, not of the try to send it
	Bookmaker string    `json:"bookmaker"`
	Data      FeedEntry `json:"data"`
}

// WebhookTest is a test of an endpoint of webhooks.
type WebhookTest struct {
	Type      string          `json:"type"` // webhook.test
	Timestamp string          `json:"timestamp"`
	Bookmaker string          `json:"bookmaker"`
	Data      WebhookTestData `json:"data"`
}

// WebhookTestData is what a test says.
type WebhookTestData struct {
	Endpoint string `json:"endpoint"` // its id
}

// FeedEntryOf writes a report as the feed and webhooks tell it.
func FeedEntryOf(e Entry) FeedEntry {
	shown := FeedEntry{Sequence: e.Sequence, Draw: e.Draw, Game: e.Game, State: e.State, Replaces: e.Replaces, At: instant.Format(e.At),
		Totals: TotalsOf(e.Totals), Pages: []Page{}, Table: e.Table}
	if len(e.Before) > 0 {
		shown.Before = TotalsOf(e.Before)
	}
	for _, shard := range e.Shards {
		shown.Lines += shard.Lines
		for page := 1; page <= shard.Pages; page++ {
			shown.Pages = append(shown.Pages, Page{Shard: shard.Shard, Page: page,
				Href: fmt.Sprintf("/v1/draws/%s/reports/%d/%d/%d", e.Draw, e.State, shard.Shard, page)})
		}
	}
	return shown
}

// TotalsOf writes totals.
func TotalsOf(byCurrency settlement.Totals) []Sums {
	list := []Sums{}
	for _, t := range byCurrency {
		list = append(list, Sums{Currency: t.Currency.Code(), Bets: t.Bets, Stake: string(t.Stake.AppendTo(nil, t.Currency)),
			Payout: string(t.Payout.AppendTo(nil, t.Currency)), Won: t.Won, Lost: t.Lost, Refunded: t.Refunded})
	}
	return list
}
