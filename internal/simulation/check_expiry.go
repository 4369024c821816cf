package simulation

import (
	"context"
	"strings"

	"tally/internal/testkit/permanent"
	"tally/lib/store"
)

// expiry verifies that whatever was stored expires, but for what must not; and that
// of a draw and its bets nothing does so before the draw's records end.
func (c *checker) expiry() {
	for _, pk := range c.world.db.Partitions() {
		for item, err := range c.table.Query(context.Background(), pk, "") {
			if err != nil {
				c.problem("reading %s: %v", pk, err)
				return
			}
			if why, never := permanent.Item(pk, item.SK); never == (item.ExpiresAt != 0) {
				c.problem("%s / %s expires at %d; it is to be kept for ever: %v %s", pk, item.SK, item.ExpiresAt, never, why)
			}
			if end := c.ends[drawOf(pk)]; item.ExpiresAt < end && !strings.HasPrefix(item.SK, store.HeldPrefix) {
				c.problem("%s / %s expires at %d, the records of its draw end at %d", pk, item.SK, item.ExpiresAt, end)
			}
		}
	}
}

// drawOf returns the draw that a partition is about, empty for none.
func drawOf(pk string) string {
	kind, rest, _ := strings.Cut(pk, "#")
	id, _, _ := strings.Cut(rest, "#")
	if kind != "DRAW" && kind != "BETS" && kind != "REPORT" && kind != "RELEASED" {
		return ""
	}
	return id
}
