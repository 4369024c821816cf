package main

import (
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	o := newOperator(t, "keys")
	o.types(0, "acme has no keys\n", "keys", "list", "acme")
	made := o.types(0, "tly_acme_…\nkey … of acme opens bets:read bets:write disputes:write feed:read; it is not shown again\n", "keys", "create", "acme", "--note", "first")
	token := strings.Fields(made)[0]
	id := strings.Split(token, "_")[2]
	o.types(0, "…"+id+"…active…first…", "keys", "list", "acme")
	o.types(0, "tly_acme_…\nkey …", "keys", "rotate", "acme", id, "--overlap-hours", "1")
	o.types(0, "revoked "+id+" of acme at …\n", "keys", "revoke", "acme", id)
	list := o.types(0, "…active…revoked…", "keys", "list", "acme")
	if strings.Contains(list, token[len(token)-59:]) {
		t.Errorf("the list shows a key: %s", list)
	}
	o.types(1, "tally: revoking the key: there is no such key\n", "keys", "revoke", "acme", "nosuchkey")
	o.types(1, "tally: rotating the key: key "+id+" is revoked: make a new one\n", "keys", "rotate", "acme", id)
	o.types(2, "tally: there is no scope \"all\", only …", "keys", "create", "acme", "--scope", "all")
	o.types(2, "tally: \"a b\" is no bookmaker…", "keys", "create", "a b")
	o.types(2, "tally: give a bookmaker and an id\n…", "keys", "revoke", "acme")
	o.types(2, "tally: there is no \"delete\" in keys…", "keys", "delete")
	o.types(0, "rounding…half_up…200…none\n", "keys", "settings", "acme")
	o.types(0, "rounding…down…1000.00 EUR, 500 JPY\nstored; it holds within 30 seconds, everywhere\n", "keys", "settings", "acme", "--rounding", "down", "--max-stake", "EUR=1000.00", "--max-stake", "JPY=500")
	o.types(0, "…500 JPY\nstored; …", "keys", "settings", "acme", "--max-stake", "EUR=")
	o.types(2, "tally: \"5\" is no amount in EUR…", "keys", "settings", "acme", "--max-stake", "EUR=5")
	o.types(0, "…least stake…0.50 EUR\n…largest on roulette…20.00 EUR\nstored; …", "keys", "settings", "acme", "--min-stake", "EUR=0.50", "--max-stake", "roulette:EUR=20.00", "--min-stake", "dice:EUR=2.00", "--min-stake", "dice:EUR=")
	o.types(0, "…least stake…0.50 EUR\nlargest stake…500 JPY\nstored; …", "keys", "settings", "acme", "--max-stake", "roulette:EUR=")
	o.types(2, "tally: there is no game \"chess\"…", "keys", "settings", "acme", "--max-stake", "chess:EUR=20.00")
	o.types(2, "tally: the least stake on baccarat in JPY is above the greatest…", "keys", "settings", "acme", "--min-stake", "JPY=501")
	o.types(2, "tally: --min-stake is \"EUR\": write…", "keys", "settings", "acme", "--min-stake", "EUR")
	o.observed.compare(t, "keys")
}
