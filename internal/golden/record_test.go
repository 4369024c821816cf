package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/bookmaker/api"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/disputes"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/pipeline/webhook"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// noon is 2026-11-30T12:00:00.000Z.
const noon settlement.Instant = 1_796_040_000_000

// recorder plays draws and keeps what is stored.
type recorder struct {
	*testing.T
	*archivetest.Sample
	now  settlement.Instant
	sent []string // to queues: the name of one and the message, a line each
}

// TestRecord writes a folder of what is stored now.
func TestRecord(t *testing.T) {
	version := os.Getenv("TALLY_RECORD")
	if version == "" {
		return // nothing is to be recorded
	}
	r := played(t, 1)
	folder := filepath.Join("testdata", version)
	r.check(os.MkdirAll(folder, 0o755))
	r.check(os.WriteFile(filepath.Join(folder, "items.jsonl"), dump(t, r.DB), 0o644))
	archivetest.WriteFiles(t, filepath.Join(folder, "log"), r.Files.Files())
	r.check(os.WriteFile(filepath.Join(folder, "log", "verifier-key"), []byte(r.VerifierKey+"\n"), 0o644))
	r.check(os.WriteFile(filepath.Join(folder, "want.txt"), []byte(read(t, r.DB, r.Files.Files())), 0o644))
}

// played has played all draws and stored what a bookmaker has. Settlements commit to so
// many bookmakers in one item at most; 0 for as many as usual.
func played(t *testing.T, partBookmakers int) *recorder {
	r := &recorder{T: t, Sample: archivetest.New(t), now: noon}
	r.Archive.PartBookmakers = partBookmakers
	for _, id := range []string{"baccarat", "blackjack", "poker"} {
		game, _ := games.Find(id)
		r.Play(game)
	}
	r.draw()
	r.ArchiveAll()
	r.bookmaker()
	return r
}

func (r *recorder) check(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *recorder) clock() settlement.Instant { return r.now }

// queue keeps what is sent to a queue; the archive gets its own.
func (r *recorder) queue(name string) sender {
	return func(body string) error {
		r.sent = append(r.sent, name+" "+body)
		if name != "archive-entries" {
			return nil
		}
		entry, err := wire.ParseAppend(body)
		r.Told = append(r.Told, entry)
		return err
	}
}

func (r *recorder) intake() *intake.Intake {
	return &intake.Intake{Table: r.Table, Replies: r.queue("studio-replies"), Sweeps: r.queue("sweeps"), Archive: r.queue("archive-entries"), Record: dropped{},
		Settings: draw.Settings{Shards: 2}, Now: r.clock, Log: slog.New(slog.DiscardHandler)}
}

func (r *recorder) settle() *settle.Settler {
	return &settle.Settler{Table: r.Table, Archive: r.queue("archive-entries"), Webhooks: r.queue("webhooks"), Record: dropped{}, Now: r.clock,
		Log: slog.New(slog.DiscardHandler), Parallel: 1, PageLines: 4}
}

// handle has intake take a message about a draw of roulette's first table.
func (r *recorder) handle(from intake.Source, game, draw, fields string) {
	r.Helper()
	body := `{"schema":1,"id":"m","game":"` + game + `","table":"rou-1","draw":"` + draw + `","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
	r.check(r.intake().Handle(r.Context(), intake.Delivery{Body: []byte(body), SentAt: r.now, From: from}))
}

// draw plays a draw with everything that a later program may no longer accept: bets in
// currencies that are withdrawn, the longest betting round, an order that is another
// game's, and a result that is in quarantine.
func (r *recorder) draw() {
	handle := func(from intake.Source, game, fields string) { r.Helper(); r.handle(from, game, "rou-1.7", fields) }
	settle := func() {
		r.now += 20_000
		r.check(r.settle().Handle(r.Context(), "rou-1.7"))
	}
	handle(intake.Operator, "war", `"type":"bets.voided","order":"ord-0","scope":{"round":1},"reason":"another game's","evidence":"e"`)
	handle(intake.Studio, "roulette", fmt.Sprintf(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(noon), instant.Format(noon+24*3_600_000)))
	r.now += 23 * 3_600_000
	for i, currency := range []string{"BGN", "HRK", "EUR", "JPY", "KWD", "ZWL"} {
		for n, bookmaker := range []string{"acme", "borealis"} {
			r.bet(bookmaker, store.StoredBet{SK: store.BetKey(fmt.Sprintf("b%d", i)), Selection: []string{"red", "straight:17"}[n], Stake: 1000, Currency: currency, AcceptedAt: r.now, Round: 1, Shop: "riga-7", Rounding: int64(n)})
		}
	}
	r.bet("acme", store.StoredBet{SK: store.CancelKey("b1"), AcceptedAt: r.now + 1})
	r.bet("acme", store.StoredBet{SK: store.BetKey("refused"), Selection: "red", Stake: 1000, Currency: "BGN", AcceptedAt: r.now, Round: 1, Refused: "betting_closed", Generation: 1})
	r.now += 1000
	handle(intake.Studio, "roulette", fmt.Sprintf(`"type":"betting.closed","round":1,"closed_at":%q`, instant.Format(r.now)))
	r.now += 1000
	handle(intake.Studio, "roulette", `"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
	settle()
	r.bet("acme", store.StoredBet{SK: store.BetKey("late"), Selection: "black", Stake: 1000, Currency: "BGN", AcceptedAt: noon + 1000, Round: 1})
	handle(intake.Own, "roulette", `"type":"bets.found","order":"found-1-0123456789abcdef","bookmaker":"acme","records":["late"],"reason":"missed_by_sweep","evidence":"recount"`)
	settle()
	handle(intake.Studio, "roulette", `"type":"draw.resulted","revision":2,"facts":{"spins":[{"revolutions":5,"pocket":34}]},"correction":{"reason":"video_review","note":"see protocol"}`)
	settle()
	handle(intake.Operator, "roulette", `"type":"bets.voided","order":"ord-1","scope":{"bookmaker":"acme","shop":"riga-7","bets":["b0"]},"reason":"display fault","evidence":"e"`)
	settle()
	handle(intake.Operator, "roulette", `"type":"order.revoked","order":"ord-2","revokes":"ord-1","reason":"a mistake","evidence":"e"`)
	settle()
	handle(intake.Studio, "roulette", `"type":"draw.resulted","revision":2,"facts":{"spins":[{"revolutions":5,"pocket":0}]},"correction":{"reason":"scanner_error"}`) // conflict: quarantined
}

func (r *recorder) bet(bookmaker string, bet store.StoredBet) {
	r.Helper()
	reference, _, _ := strings.Cut(strings.TrimPrefix(bet.SK, store.BetKey("")), "#")
	r.check(r.Table.Put(r.Context(), store.Item{PK: store.DrawKey("rou-1.7"), SK: store.PartKey(bookmaker)}))
	_, err := r.Table.CreateBet(r.Context(), store.BetsKey("rou-1.7", bookmaker, placing.Shard(reference, 2)), bet)
	r.check(err)
}

// bookmaker stores what operators and a bookmaker set, with a key of a fixed token.
func (r *recorder) bookmaker() {
	made := &keys.Registry{Table: r.Table, Now: r.clock}
	token, _, err := made.Create(r.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes(), Note: "golden"})
	r.check(err)
	r.check(r.Table.Put(r.Context(), store.Item{PK: store.BookmakerKey("acme"), SK: store.SettingsKey, Version: 1,
		Body: `{"rounding":"half_even","max_stake":{"BGN":"500.00","EUR":"1000.00"},"requests_per_second":50}`}))
	hooks := &webhook.Store{Table: r.Table, Now: r.clock, Loopback: true}
	_, _, err = hooks.Set(r.Context(), webhook.Params{Bookmaker: "acme", URL: "http://127.0.0.1:9/hook", After: 0})
	r.check(err)
	for _, id := range []string{"d-1", "d-2"} {
		_, _, err = disputes.Create(r.Context(), r.Table, "acme", id, disputes.Request{Draw: "rou-1.7", Bets: []string{"b0"}, Reason: "display_fault", Evidence: "e"}, r.now, r.now+400*24*3_600_000)
		r.check(err)
	}
	_, err = (&disputes.Service{Table: r.Table, Orders: dropped{}, Now: r.clock}).Reject(r.Context(), "acme", "d-2", "no fault is seen")
	r.check(err)
	r.now = noon + 4*24*3_600_000
	for _, path := range []string{"/v1/totals?period=2026-11-30", "/v1/totals?period=2026-12-01"} {
		if status, said := answer(r.T, r.Table, r.clock, token, http.MethodGet, path, ""); status != http.StatusOK {
			r.Fatal(said)
		}
	}
	status, said := answer(r.T, r.Table, r.clock, token, http.MethodPut, "/v1/feed/position", `{"sequence":1}`)
	if status != http.StatusOK {
		r.Fatal(said)
	}
	r.check(r.Table.Put(r.Context(), store.Item{PK: store.ReconcileKey, SK: store.ReconcileKey, Body: fmt.Sprintf(`{"minute":%d}`, noon-3_600_000), Version: 1}))
	r.check(r.Table.Put(r.Context(), store.Item{PK: "GOLDEN", SK: "TOKEN", Body: token}))
}

// answer asks the API and returns its status and what it says.
func answer(t *testing.T, table *store.Table, now func() settlement.Instant, token, method, path, body string) (int, string) {
	t.Helper()
	handler, err := api.New(api.Options{Table: table, Now: now, Record: dropped{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response.Code, response.Body.String()
}

// dump writes the items of a table, a line each, as DynamoDB's JSON.
func dump(t *testing.T, db *fakedynamo.DB) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, pk := range db.Partitions() {
		input := &dynamodb.QueryInput{TableName: aws.String("tally"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :pk"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: pk}}}
		for {
			page, err := db.Query(t.Context(), input)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				line := map[string]map[string]any{}
				for name, value := range item {
					switch v := value.(type) {
					case *types.AttributeValueMemberS:
						line[name] = map[string]any{"S": v.Value}
					case *types.AttributeValueMemberN:
						line[name] = map[string]any{"N": v.Value}
					case *types.AttributeValueMemberB:
						line[name] = map[string]any{"B": v.Value}
					default:
						t.Fatalf("%s is a %T", name, value)
					}
				}
				text, err := json.Marshal(line)
				if err != nil {
					t.Fatal(err)
				}
				out.Write(append(text, '\n'))
			}
			if input.ExclusiveStartKey = page.LastEvaluatedKey; input.ExclusiveStartKey == nil {
				break
			}
		}
	}
	return out.Bytes()
}

// load is a table of the items of a dump.
func load(t *testing.T, text []byte) *fakedynamo.DB {
	t.Helper()
	db := fakedynamo.New(t, "tally")
	for line := range bytes.Lines(text) {
		var read map[string]struct {
			S *string
			N *string
			B []byte
		}
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatal(err)
		}
		item := map[string]types.AttributeValue{}
		for name, value := range read {
			switch {
			case value.S != nil:
				item[name] = &types.AttributeValueMemberS{Value: *value.S}
			case value.N != nil:
				item[name] = &types.AttributeValueMemberN{Value: *value.N}
			default:
				item[name] = &types.AttributeValueMemberB{Value: value.B}
			}
		}
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("tally"), Item: item}); err != nil {
			t.Fatal(errors.Join(err, fmt.Errorf("line %.200s", line)))
		}
	}
	return db
}
