// Package intake puts the Lambda intake together, which handles what the studio and
// operators say of draws. What it does is in lib/pipeline/intake.
package intake

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/draw"
	"tally/lib/draw/odds"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/lambda/sqsqueue"
	pipeline "tally/lib/pipeline/intake"
	"tally/lib/pipeline/senders"
	"tally/lib/rulebook/games"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of intake.
type Config struct {
	runtime.Common
	StudioURL       string        `env:"TALLY_STUDIO_URL" doc:"URL of the queue studio-messages"`
	OrdersURL       string        `env:"TALLY_ORDERS_URL" doc:"URL of the queue operator-orders"`
	OrdersARN       string        `env:"TALLY_ORDERS_ARN" doc:"ARN of the queue operator-orders: what comes from it may be an order"`
	SweepsURL       string        `env:"TALLY_SWEEPS_URL" doc:"URL of the queue sweeps"`
	ArchiveURL      string        `env:"TALLY_ARCHIVE_URL" doc:"URL of the queue archive-entries"`
	RepliesURL      string        `env:"TALLY_REPLIES_URL" doc:"URL of the queue studio-replies"`
	Shards          int           `env:"TALLY_SHARDS" doc:"shards of the bets of a new draw" default:"1" min:"1" max:"256"`
	ShardsByGame    string        `env:"TALLY_SHARDS_BY_GAME" doc:"shards of games that need more, such as roulette=4,poker=2" default:""`
	LagBound        int           `env:"TALLY_LAG_BOUND_SECONDS" doc:"seconds before it is stored for which a message of the studio may have been sent and still close betting from then; 0 for none" default:"900" min:"0" max:"86400"`
	SelectionTables string        `env:"TALLY_SELECTION_TABLES" doc:"tables whose studio has to close side wagers within their round, such as bj-1,bj-2" default:""`
	RetentionDays   int           `env:"TALLY_RETENTION_DAYS" doc:"days for which a new draw's records are kept" default:"400" min:"30" max:"3650"`
	SettleAtOnce    bool          `env:"TALLY_SETTLE_AT_ONCE" doc:"whether new draws are settled as soon as their result is there, and who takes their bets looks" default:"true"`
	LookWithin      string        `env:"TALLY_LOOK_WITHIN" doc:"games whose bets are looked after only so long before a round's planned closing, such as dice=10s,lucky5=10s" default:""`
	HoldAfter       time.Duration `env:"TALLY_HOLD_CORRECTIONS_AFTER" doc:"time after a draw's first result from which corrections wait for an operator's release; 0s never" default:"0s" min:"0s"`
}

// intakeConcurrency is how many messages of a batch are worked on at once.
const intakeConcurrency = 10

// New puts intake together.
func New(c Config, r runtime.Runtime) (runtime.QueueHandler, error) {
	settings, err := c.settings()
	if err != nil {
		return nil, fmt.Errorf("putting intake together: %w", err)
	}
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "intake", r.Now)
	record := recorder{measured: measured}
	table, check := dynamo.Clocked(r, c.Common, measured)
	in := &pipeline.Intake{
		Table: table, Clock: check, Replies: sqsqueue.New(client, c.RepliesURL), Sweeps: sqsqueue.New(client, c.SweepsURL), Archive: sqsqueue.New(client, c.ArchiveURL),
		Record: record, OutOfSequence: record.OutOfSequence, CancelledInARow: record.CancelledInARow, Odds: odds.Check, Settings: settings, Demanding: c.demanding(), Now: r.Instant, Log: r.Log,
		MaySpeak: (&senders.Checker{Table: table, Now: r.Instant}).MaySpeak,
	}
	handler, err := sqsbatch.HandleQueues(r, func(ctx context.Context, m sqsbatch.Message) error {
		from := pipeline.Studio
		if m.QueueARN == c.OrdersARN {
			from = pipeline.Operator
		}
		return in.Handle(ctx, pipeline.Delivery{Body: []byte(m.Body), SentAt: sqsqueue.SentAt(m.SentAt, m.Attributes), From: from, Sender: m.SenderID})
	}, measured, client, sqsbatch.Options{Concurrency: intakeConcurrency}, c.StudioURL, c.OrdersURL)
	if err != nil {
		return nil, fmt.Errorf("putting intake together: %w", err)
	}
	return handler, nil
}

// demanding are the tables whose studio has to close side wagers.
func (c Config) demanding() map[string]bool {
	tables := map[string]bool{}
	for table := range strings.SplitSeq(c.SelectionTables, ",") {
		tables[table] = true
	}
	return tables
}

// settings are those of new draws.
func (c Config) settings() (draw.Settings, error) {
	settings := draw.Settings{Shards: c.Shards, ShardsByGame: map[string]int{}, LagMillis: int64(c.LagBound) * time.Second.Milliseconds(),
		RetainMillis: int64(c.RetentionDays) * 24 * time.Hour.Milliseconds(),
		HoldMillis:   c.HoldAfter.Milliseconds(), Looks: c.SettleAtOnce, LookMillisByGame: map[string]int64{}}
	if c.LagBound == 0 {
		settings.LagMillis = -1
	}
	shards := byGame(c.ShardsByGame, func(id, text string) bool {
		shards, err := strconv.Atoi(text)
		settings.ShardsByGame[id] = shards
		return err == nil && shards >= 1 && shards <= 256
	})
	looks := byGame(c.LookWithin, func(id, text string) bool {
		within, err := time.ParseDuration(text)
		settings.LookMillisByGame[id] = within.Milliseconds()
		return err == nil && within >= time.Second && within <= 24*time.Hour
	})
	switch {
	case shards != "":
		return settings, fmt.Errorf("TALLY_SHARDS_BY_GAME has %q: it takes pairs of a game and 1 to 256 shards, such as roulette=4,poker=2", shards)
	case looks != "":
		return settings, fmt.Errorf("TALLY_LOOK_WITHIN has %q: it takes pairs of a game and a time from 1s to 24h, such as dice=10s,lucky5=10s", looks)
	}
	return settings, nil
}

// byGame reads pairs of a game and what is set for it, and returns one that is wrong.
func byGame(text string, set func(id, value string) bool) (wrong string) {
	for pair := range strings.SplitSeq(text, ",") {
		id, value, _ := strings.Cut(pair, "=")
		if _, known := games.Find(id); text != "" && (!known || !set(id, value)) {
			return pair
		}
	}
	return ""
}

// recorder turns what intake tells into metrics.
type recorder struct{ measured *metrics.Metrics }

var _ pipeline.MessageRecorder = recorder{}

func (r recorder) Quarantined(game string) {
	r.measured.Add(metrics.Quarantined, cmp.Or(game, metrics.NoGame), 1)
}

func (r recorder) Stored(game string, age time.Duration, concern string) {
	r.measured.Delay(metrics.MessageAge, game, age)
	switch concern {
	case draw.ConcernMoved:
		r.measured.Add(metrics.MovedClosings, game, 1)
	case draw.ConcernUnclosed:
		r.measured.Add(metrics.Unclosed, game, 1)
	}
}

func (r recorder) OutOfSequence(concern string) { r.measured.Add(metrics.BadSequence, concern, 1) }

func (r recorder) CancelledInARow(game string) { r.measured.Add(metrics.LongBreaks, game, 1) }
