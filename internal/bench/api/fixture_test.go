package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

const (
	table     = "tally"
	drawID    = "rou-1.20261130.0042"
	bookmaker = "acme"
	firstBet  = "0-first"
	body      = `{"selection":"straight:17","stake":"10.00","currency":"EUR","shop":"riga-7"}`
)

// fixture is everything that is needed to place bets and to write what they are.
type fixture struct {
	processes  []*process
	client     *dynamodb.Client
	bet        *bet
	api, proxy string // URLs
	key        string
	http       *http.Client
	count      atomic.Int64
}

// prepare starts the processes, opens a draw and places the first bet.
func prepare(ctx context.Context) (*fixture, error) {
	f := &fixture{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	if err := f.set(ctx); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *fixture) set(ctx context.Context) error {
	endpoint, err := f.start(ctx, "role-emulator")
	if err != nil {
		return err
	}
	f.client = dynamodb.NewFromConfig(environmentOf(endpoint).AWS())
	if f.key, err = open(ctx, store.New(f.client, table)); err != nil {
		return err
	}
	if f.api, err = f.start(ctx, "role-api", endpoint, table); err != nil {
		return err
	}
	if err := f.place(ctx, firstBet); err != nil {
		return err
	}
	if f.bet, err = readBet(ctx, f.client, store.BetsKey(drawID, bookmaker, 0), store.BetKey(firstBet)); err != nil {
		return err
	}
	f.proxy, err = f.start(ctx, "role-proxy", endpoint, store.BetsKey(drawID, bookmaker, 0), store.BetKey(firstBet))
	return err
}

func (f *fixture) start(ctx context.Context, role string, arguments ...string) (url string, err error) {
	p, err := start(ctx, role, arguments...)
	if err != nil {
		return "", err
	}
	f.processes = append(f.processes, p)
	return p.url, nil
}

func (f *fixture) close() {
	for _, p := range f.processes {
		p.stop()
	}
}

// open opens a draw for a day and makes a key.
func open(ctx context.Context, on *store.Table) (key string, err error) {
	now := func() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }
	in := &intake.Intake{Table: on, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: discard{}, Settings: draw.Settings{Shards: 1}, Now: now,
		Log: slog.New(slog.DiscardHandler)}
	message := fmt.Sprintf(`{"schema":1,"id":"bench","type":"draw.opened","game":"roulette","table":"rou-1","draw":%q,"at":%[2]q,"sequence":42,"rounds":[{"round":1,"opens_at":%[2]q,"closes_at":%[3]q}]}`,
		drawID, instant.Format(now()), instant.Format(now()+86_400_000))
	if err := in.Handle(ctx, intake.Delivery{Body: []byte(message), SentAt: now(), From: intake.Studio}); err != nil {
		return "", fmt.Errorf("opening a draw: %w", err)
	}
	owner := &keys.Registry{Table: on, Now: now}
	if _, err := owner.Set(ctx, bookmaker, func(s *keys.Settings) { s.RequestsPerSecond = 100_000 }); err != nil {
		return "", fmt.Errorf("setting the bookmaker's limits: %w", err)
	}
	key, _, err = owner.Create(ctx, keys.KeyParams{Bookmaker: bookmaker, Scopes: []string{keys.BetsWrite}})
	if err != nil {
		return "", fmt.Errorf("making a key: %w", err)
	}
	return key, nil
}

// discard takes what intake sends and records.
type discard struct{}

// Send implements intake.Sender.
func (discard) Send(context.Context, string, time.Duration) error { return nil }

// Quarantined implements intake.MessageRecorder.
func (discard) Quarantined(string)                   {}
func (discard) Stored(string, time.Duration, string) {}

// bet is a stored bet as it was written.
type bet struct {
	item map[string]types.AttributeValue
}

func readBet(ctx context.Context, client *dynamodb.Client, pk, sk string) (*bet, error) {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), ConsistentRead: aws.Bool(true),
		Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}})
	if err != nil {
		return nil, fmt.Errorf("reading the first bet: %w", err)
	}
	if len(out.Item) == 0 {
		return nil, fmt.Errorf("the first bet is not at %s / %s", pk, sk)
	}
	return &bet{out.Item}, nil
}

// write writes the bet under another reference.
func (b *bet) write(ctx context.Context, client *dynamodb.Client, reference string) error {
	item := maps.Clone(b.item)
	item["sk"] = &types.AttributeValueMemberS{Value: store.BetKey(reference)}
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	return err
}

// place places a bet through the API.
func (f *fixture) place(ctx context.Context, reference string) error {
	return f.put(ctx, f.api+"/v1/draws/"+drawID+"/bets/"+reference)
}

// put sends the bet's request to a URL, which has to say that it is stored.
func (f *fixture) put(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+f.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := f.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer bytes.Buffer
	if _, err := io.Copy(&answer, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("answered %s: %s", response.Status, answer.Bytes())
	}
	return nil
}

// once makes one request of a kind, under a reference that was not used before.
func (f *fixture) once(ctx context.Context, kind string) error {
	reference := fmt.Sprintf("%s-%d", kind, f.count.Add(1))
	switch kind {
	case "bare":
		return f.bet.write(ctx, f.client, reference)
	case "proxy":
		return f.put(ctx, f.proxy)
	}
	return f.place(ctx, reference)
}
