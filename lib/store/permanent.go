package store

import "strings"

// permanent are the items that never expire, by the beginnings of their keys, and
// why. Everything else has to: what is stored of draws grows without end. Tests go
// through what the functions and the simulation have stored.
var permanent = []struct{ pk, sk, reason string }{
	{ReconcileKey, ReconcileKey, "one item: up to where reconcile has worked"},
	{"FEED#", CounterKey, "one item a bookmaker: numbers of its feed are never given twice"},
	{"BOOKMAKER#", SettingsKey, "one item a bookmaker: what an operator has set"},
	{"BOOKMAKER#", PositionKey, "one item a bookmaker: how far it has read its feed"},
	{"BOOKMAKER#", APIKeyPrefix, "an operator ends keys; a key that has ended says so"},
	{"BOOKMAKER#", HookPrefix, "an operator ends webhooks"},
	{HooksKey, "", "one item a bookmaker with webhooks"},
	{"TOTALS#", "", "one item a bookmaker and day"},
	{"LOG#", "", "the log grows for ever: its state, and where each entry is"},
}

// Permanent returns why an item never expires; ok is false when it has to.
func Permanent(pk, sk string) (reason string, ok bool) {
	for _, p := range permanent {
		if strings.HasPrefix(pk, p.pk) && strings.HasPrefix(sk, p.sk) {
			return p.reason, true
		}
	}
	return "", false
}
