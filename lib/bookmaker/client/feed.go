package client

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"tally/lib/archive/commitment"
	v1 "tally/lib/bookmaker/apitype"
)

// Acknowledged has the feed go on after the position that was acknowledged.
const Acknowledged int64 = -1

// Report is a report of the feed.
type Report struct {
	v1.FeedEntry
	client *Client
}

// Reports yields the reports after a sequence number, up to the newest there is. A
// number beyond that is a [*PositionAheadError].
func (c *Client) Reports(ctx context.Context, after int64) iter.Seq2[*Report, error] {
	return func(yield func(*Report, error) bool) { c.read(ctx, &after, yield) }
}

// Follow yields the reports after a sequence number, and then each new one: it
// asks again after a while. It ends with an error, as Reports does, or when ctx
// ends. A reader that was ended goes on from the last report that it has seen to, or,
// when it has acknowledged each, from Acknowledged.
func (c *Client) Follow(ctx context.Context, after int64, every time.Duration) iter.Seq2[*Report, error] {
	return func(yield func(*Report, error) bool) {
		for c.read(ctx, &after, yield) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
		}
	}
}

// read yields the reports after a number until there are none, and moves the
// number on; more is false when the reader, or the feed, has ended.
func (c *Client) read(ctx context.Context, after *int64, yield func(*Report, error) bool) (more bool) {
	for {
		query := ""
		if *after >= 0 {
			query = strconv.FormatInt(*after, 10)
		}
		feed, err := get[v1.Feed](ctx, c, at("feed"), "after", query)
		if err != nil {
			if ctx.Err() == nil || *after < 0 {
				yield(nil, err)
			}
			return false
		}
		if len(feed.Entries) > 0 && feed.Next <= *after {
			yield(nil, fmt.Errorf("the feed does not go on: after %d it answers reports up to %d", *after, feed.Next))
			return false
		}
		for _, entry := range feed.Entries {
			if !yield(&Report{FeedEntry: entry, client: c}, nil) {
				return false
			}
		}
		if *after = feed.Next; len(feed.Entries) == 0 || *after >= feed.Newest {
			return true
		}
	}
}

// below makes a path below the API of a link: the key is for no other host, which a
// link such as @elsewhere.example would make of it.
func below(link string) string { return "/" + strings.TrimLeft(link, "/") }

// Lines yields the lines of a report, page by page.
func (r *Report) Lines(ctx context.Context) iter.Seq2[v1.Line, error] {
	return func(yield func(v1.Line, error) bool) {
		for _, link := range r.Pages {
			page, err := get[v1.ReportPage](ctx, r.client, below(link.Href))
			if err != nil {
				yield(v1.Line{}, err)
				return
			}
			for _, line := range page.Lines {
				if !yield(line, nil) {
					return
				}
			}
		}
	}
}

// Text returns the lines of a report as the public log commits to them: what a
// proof of one of them is made from, with the disclosure.
func (r *Report) Text(ctx context.Context) ([]byte, error) {
	var all []byte
	for _, link := range r.Pages {
		page, err := get[[]byte](ctx, r.client, below(link.Href), "format", "jsonl")
		if err != nil {
			return nil, err
		}
		all = append(all, *page...)
	}
	return all, nil
}

// Disclosure returns what proves the lines of a report to others. It is the
// bookmaker's secret.
func (c *Client) Disclosure(ctx context.Context, draw string, state int) (*commitment.Disclosure, error) {
	return get[commitment.Disclosure](ctx, c, at("draws", draw, "reports", strconv.Itoa(state), "disclosure"))
}

// Position returns how far the feed was acknowledged.
func (c *Client) Position(ctx context.Context) (int64, error) {
	position, err := get[v1.Position](ctx, c, at("feed", "position"))
	if err != nil {
		return 0, err
	}
	return position.Sequence, nil
}

// Acknowledge keeps that the feed was seen to up to a report.
func (c *Client) Acknowledge(ctx context.Context, sequence int64) error {
	_, err := put[v1.Position](ctx, c, at("feed", "position"), v1.Position{Sequence: sequence})
	return err
}

// DrawTotals returns what the bookmaker's bets on a draw came to.
func (c *Client) DrawTotals(ctx context.Context, draw string) (*v1.DrawTotals, error) {
	return get[v1.DrawTotals](ctx, c, at("draws", draw, "totals"))
}

// Totals returns what the reports of a day (2026-11-30) or a month (2026-11) came
// to.
func (c *Client) Totals(ctx context.Context, period string) (*v1.PeriodTotals, error) {
	return get[v1.PeriodTotals](ctx, c, at("totals"), "period", period)
}
