package simulation

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/lib/archive/checkpoint"
)

// once begins the keys that are written once: what is there is never replaced by
// anything else, nor deleted so that it could be.
var once = regexp.MustCompile(`^(REPORT#\S+ / |TOTALS#\S+ / |FEED#\S+ / [0-9]|LOG#[^# ]+#\S+ / |DRAW#\S+ / (PART|DONE|FED|STATE|REV|OPENED|ROUND|CLOSED|ORDER|COMMITMENT)#?)`)

// ofBets begins the keys of bets, cancellations and side wagers: written once, but where
// there is a refusal.
const ofBets = "BETS#"

// refusedBy is the attribute of a refusal.
const refusedBy = "x"

// overwritten is called with each item put over another one; it runs inside the database.
func (w *world) overwritten(key string, before, after map[string]types.AttributeValue) {
	_, replaceable := before[refusedBy]
	isOnce := once.MatchString(key) || strings.HasPrefix(key, ofBets) && !replaceable
	if isOnce && !reflect.DeepEqual(before, after) {
		w.problem("%s was written twice, with other bytes", key)
	}
}

// removed is called with each item that is deleted; it runs inside the database.
func (w *world) removed(key string) {
	if once.MatchString(key) || strings.HasPrefix(key, ofBets) {
		w.problem("%s was deleted", key)
	}
}

// fileOverwritten is called with each file of the log that is put over another one: all but the
// checkpoint are under a lock that refuses it.
func (w *world) fileOverwritten(key string) {
	if key != checkpoint.Path {
		w.problem("the log's file %s was written twice, with other bytes", key)
	}
}
