// Package permanent lists what is stored for ever.
package permanent

import (
	"strings"

	"tally/lib/store"
)

// items are those that never expire, by the beginnings of their keys, and why. Everything
// else has to: what is stored of draws grows without end. Tests go through what the
// functions and the simulation have stored.
var items = []struct{ pk, sk, why string }{
	{store.ReconcileKey, "", "two items: up to where reconcile has worked, by itself and by others"},
	{"FEED#", store.CounterKey, "one item a bookmaker: numbers of its feed are never given twice"},
	{"BOOKMAKER#", store.SettingsKey, "one item a bookmaker: what an operator has set"},
	{"BOOKMAKER#", store.PositionKey, "one item a bookmaker: how far it has read its feed"},
	{"BOOKMAKER#", store.APIKeyPrefix, "an operator ends keys; a key that has ended says so"},
	{"BOOKMAKER#", store.HookPrefix, "an operator ends webhooks"},
	{store.HooksKey, "", "one item a bookmaker with webhooks"},
	{store.SendersKey, store.SendersKey, "one item: who may speak for which tables"},
	{store.TablesKey, "", "one item a table of which the studio has said anything: what it is expires with the table"},
	{"TOTALS#", "", "one item a bookmaker and day"},
	{"LOG#", "", "the log grows for ever: its state, and where each entry is"},
}

// Item returns why an item never expires; is is false when it has to.
func Item(pk, sk string) (why string, is bool) {
	for _, i := range items {
		if strings.HasPrefix(pk, i.pk) && strings.HasPrefix(sk, i.sk) {
			return i.why, true
		}
	}
	return "", false
}
