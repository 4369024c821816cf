package store_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

var update = flag.Bool("update", false, "rewrite golden files")

// built are all keys, of sample arguments, by what builds them.
func built() map[string]string {
	const at settlement.Instant = 1_796_040_000_000
	hook, position := store.HookOf("HOOK#h1#POSITION")
	due, stage, err := store.DueOf("rou-1.7#3")
	return map[string]string{
		"DrawKey": store.DrawKey("rou-1.7"), "HeadKey": store.HeadKey, "OpenedKey": store.OpenedKey, "SweepKey": store.SweepKey, "RoundKey": store.RoundKey(2),
		"ClosedKey": store.ClosedKey(2), "StopKey": store.StopKey(2, "0f"), "RevisionPrefix": store.RevisionPrefix, "RevisionKey": store.RevisionKey(3), "OrderKey": store.OrderKey("ord-1"),
		"StateKey": store.StateKey(4), "PartPrefix": store.PartPrefix, "PartKey": store.PartKey("acme"), "HeldPrefix": store.HeldPrefix,
		"HeldKey": store.HeldKey(store.QuarantineKey(at), "0f"), "DonePrefix": store.DonePrefix(4), "DoneKey": store.DoneKey(4, "acme", 5),
		"FedPrefix": store.FedPrefix(4), "FedKey": store.FedKey(4, "acme"), "BetsKey": store.BetsKey("rou-1.7", "acme", 5), "BetKey": store.BetKey("b1"),
		"CancelKey": store.CancelKey("b1"), "WagerKey": store.WagerKey("b1", "double"), "ReportKey": store.ReportKey("rou-1.7", 4, "acme", 5),
		"PageKey": store.PageKey(6), "FeedKey": store.FeedKey("acme"), "EntryKey": store.EntryKey(7), "CounterKey": store.CounterKey, "DueKey": fmt.Sprint(store.DueKey(at, 0), " ", store.DueKey(at, 7)),
		"DueParts": strconv.Itoa(store.DueParts), "DuePart": strconv.Itoa(store.DuePart("rou-1.7")), "CursorKey": store.CursorKey,
		"IsDue":      fmt.Sprint(store.IsDue(store.DueKey(at, 7)), " ", store.IsDue(store.DrawKey("rou-1.7"))),
		"DueDrawKey": store.DueDrawKey("rou-1.7", 3), "DueOf": fmt.Sprint(due, " ", stage, " ", err), "ReconcileKey": store.ReconcileKey, "ReleasedKey": store.ReleasedKey("0f"),
		"ReleasedIn": store.ReleasedIn("rou-1.7"), "HeldOf": fmt.Sprint(store.HeldOf("20261130#0f")),
		"SendersKey":    store.SendersKey,
		"QuarantineKey": store.QuarantineKey(at), "TableKey": store.TableKey("rou-1"), "SequenceKey": store.SequenceKey, "CancelledKey": store.CancelledKey, "DrawsKey": store.DrawsKey(at), "FoundKey": store.FoundKey(at, "roulette", "rou-1", "rou-1.7"),
		"TableStateKey": store.TableStateKey, "TablesKey": store.TablesKey, "ToldKey": store.ToldKey(1_796_040_000_000, "acme"),
		"FoundFrom": store.FoundFrom(at), "BookmakerKey": store.BookmakerKey("acme"), "SettingsKey": store.SettingsKey, "PositionKey": store.PositionKey,
		"APIKeyPrefix": store.APIKeyPrefix, "APIKeyKey": store.APIKeyKey("k1"), "HookPrefix": store.HookPrefix, "HookKey": store.HookKey("h1"),
		"HookPositionKey": store.HookPositionKey("h1"), "HookOf": fmt.Sprint(hook, " ", position), "HooksKey": store.HooksKey,
		"PushesKey": store.PushesKey("acme", "h1"), "PushKey": store.PushKey(at, "w1"), "DisputesKey": store.DisputesKey("acme"), "DisputeKey": store.DisputeKey("d1"),
		"DecisionKey": store.DecisionKey("d1"), "IsDecision": fmt.Sprint(store.IsDecision(store.DecisionKey("d1")), " ", store.IsDecision("d1")),
		"PendingKey": store.PendingKey, "PendingDisputeKey": store.PendingDisputeKey(at, "acme", "d1"), "TotalsKey": store.TotalsKey("acme"),
		"LogKey": store.LogKey("example.com/tally"), "LogStateKey": store.LogStateKey, "LogSeenKey": store.LogSeenKey,
		"LogEntriesKey": store.LogEntriesKey("example.com/tally", "rou-1.7"), "CommitmentKey": store.CommitmentKey(4),
		"CommitmentsPrefix": store.CommitmentsPrefix(4), "CommitmentPartKey": store.CommitmentPartKey(4, 2),
	}
}

// exported are the functions and constants of keys.go.
var exported = regexp.MustCompile(`(?m)^(?:func |const |\t)([A-Z]\w+)(?:\(| += )`)

// attributes says by which attribute each field of what is stored is kept: it stores one
// field after the other.
func attributes[T any](t *testing.T, write func(*store.Table, T) error) (lines string) {
	t.Helper()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.Name == "PK" || field.Name == "SK" {
			continue
		}
		var value T
		fields := reflect.ValueOf(&value).Elem()
		if pk := fields.FieldByName("PK"); pk.IsValid() {
			pk.SetString("pk")
		}
		fields.FieldByName("SK").SetString("sk")
		switch set := fields.FieldByIndex(field.Index); set.Kind() {
		case reflect.String:
			set.SetString(strings.ToLower(field.Name))
		case reflect.Slice:
			set.SetBytes([]byte("x"))
		default:
			set.SetInt(1)
		}
		db := fakedynamo.New(t, "table")
		if err := write(store.New(db, "table"), value); err != nil {
			t.Fatalf("storing %s: %v", field.Name, err)
		}
		out, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("table"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :pk"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: "pk"}}})
		if err != nil || len(out.Items) != 1 {
			t.Fatalf("reading %s: %v", field.Name, err)
		}
		delete(out.Items[0], "pk")
		delete(out.Items[0], "sk")
		names := slices.Sorted(maps.Keys(out.Items[0]))
		lines += fmt.Sprintf("%s.%s\t%s\n", reflect.TypeFor[T]().Name(), field.Name, strings.Join(names, " "))
	}
	return lines
}

// Every key and every attribute is what it was: tables are full of them.
func TestKeys(t *testing.T) {
	source, err := os.ReadFile("keys.go")
	if err != nil {
		t.Fatal(err)
	}
	keys := built()
	var got strings.Builder
	for _, match := range exported.FindAllStringSubmatch(string(source), -1) {
		key, is := keys[match[1]]
		if !is {
			t.Errorf("%s is missing in this test", match[1])
		}
		delete(keys, match[1])
		_, _ = fmt.Fprintf(&got, "%s\t%s\n", match[1], key)
	}
	if len(keys) > 0 {
		t.Errorf("keys.go does not build %v", keys)
	}
	got.WriteString(attributes(t, func(table *store.Table, item store.Item) error { return table.Put(t.Context(), item) }))
	got.WriteString(attributes(t, func(table *store.Table, bet store.StoredBet) error {
		_, err := table.CreateBet(t.Context(), "pk", bet)
		return err
	}))
	const golden = "testdata/keys.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the keys are\n%s\ninstead of\n%s", got.String(), want)
	}
}
