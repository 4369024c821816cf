package functions_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lambdaevents "github.com/aws/aws-lambda-go/events"

	"tally/events"
	"tally/lib/rulebook/games"
)

var update = flag.Bool("update", false, "write events/sqs anew")

// sample is a file under events/sqs: what Lambda hands to a function.
type sample struct {
	name     string // begins with the function's
	queue    string // that the messages come from
	bodies   []string
	unsolved int // messages that the function's answer names
}

// sampleSent is when the queues took the messages of the samples.
var sampleSent = time.Date(2026, 11, 30, 12, 5, 0, 125_000_000, time.UTC)

// sampleARN is the ARN of a queue in the samples: that of `tally local`.
func sampleARN(queue string) string { return "arn:aws:sqs:us-east-1:000000000000:tally-" + queue }

// samples lists the files. Their messages are those under events/.
func samples(t *testing.T) []sample {
	t.Helper()
	roulette, baccarat := bodies(t, "roulette"), bodies(t, "baccarat")
	return []sample{
		{"intake.draw.json", "studio-messages", roulette[:5], 0},
		{"intake.duplicates.json", "studio-messages", []string{roulette[0], roulette[0], roulette[1], roulette[0]}, 0},
		{"intake.cancelled.json", "studio-messages", roulette[7:11], 0},
		{"intake.orders.json", "operator-orders", roulette[5:7], 0},
		// Malformed, impossible, and an order that is not the studio's to give: all
		// are put in quarantine, which is done with them.
		{"intake.quarantined.json", "studio-messages", []string{`{"schema":1,`, baccarat[7], roulette[5]}, 0},
		{"settle.sweep.json", "sweeps", []string{`{"draw":"rou-1.20261130.9999"}`}, 0},
		{"settle.malformed.json", "sweeps", []string{`{"draw":"not a draw"}`}, 1},
		{"look.due.json", "due-draws", []string{`{"due":"DUE#202611301205#3","draw":"rou-1.20261130.9999#1"}`}, 0},
		{"look.malformed.json", "due-draws", []string{`{"draw":"rou-1.20261130.9999"}`}, 1},
		{"webhook.push.json", "webhooks", []string{`{"bookmaker":"acme"}`}, 0},
		{"webhook.malformed.json", "webhooks", []string{`{"bookmaker":"not a bookmaker"}`}, 1},
	}
}

// bodies returns a game's messages without the spaces that make them readable.
func bodies(t *testing.T, id string) []string {
	t.Helper()
	game, _ := games.Find(id)
	files, err := events.Messages(game)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range files {
		var compact bytes.Buffer
		if err := json.Compact(&compact, file.Body); err != nil {
			t.Fatal(err)
		}
		list = append(list, compact.String())
	}
	return list
}

const samplesFolder = "../../../events/sqs"

func (s sample) event() lambdaevents.SQSEvent {
	return envelope(sampleARN(s.queue), sampleSent, s.bodies...)
}

// The files hold the messages under events/ as Lambda hands them over.
func TestSamples(t *testing.T) {
	known := make(map[string]bool)
	for _, sample := range samples(t) {
		known[sample.name] = true
		want, err := json.MarshalIndent(sample.event(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		file := filepath.Join(samplesFolder, sample.name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what it should be: go test ./lib/lambda/functions -run TestSamples -update", sample.name)
		}
	}
	files, err := os.ReadDir(samplesFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".json") && !known[file.Name()] && !strings.HasSuffix(file.Name(), scheduled) {
			t.Errorf("%s is nobody's sample", file.Name())
		}
	}
}

// scheduled ends the names of the files with what EventBridge hands to a function.
const scheduled = ".scheduled.json"

func TestScheduledSample(t *testing.T) {
	for _, name := range []string{"reconcile", "pages"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(samplesFolder, name+scheduled))
			if err != nil {
				t.Fatal(err)
			}
			var event lambdaevents.CloudWatchEvent
			if err := json.Unmarshal(text, &event); err != nil || event.DetailType != "Scheduled Event" || event.Source != "aws.events" {
				t.Errorf("%s: %v: %+v, want no error and event.DetailType = \"Scheduled Event\" and event.Source = \"aws.events\"",
					name, err, event)
			}
		})
	}
}
