package logwatch

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/watchdog"
	"tally/lib/draw/wire"
	"tally/lib/lambda/runtime"
	"tally/lib/pipeline/reconcile"
	"tally/lib/rulebook/games"
)

// kept counts what is recorded and sent.
type kept struct {
	lags   []int
	faults []string
	sent   int
}

func (k *kept) LogLag(entries int)   { k.lags = append(k.lags, entries) }
func (k *kept) LogFault(kind string) { k.faults = append(k.faults, kind) }

func (k *kept) Send(context.Context, string, time.Duration) error {
	k.sent++
	return nil
}

// A look at the log serves one draw after the other for ten seconds, each under a context of
// its own; one that found something to be missing serves no other.
func TestKeptForDraws(t *testing.T) {
	sample := archivetest.New(t)
	war, _ := games.Find("war")
	sample.Play(war)
	verifier, err := note.NewVerifier(sample.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	quiet, found, at := slog.New(slog.DiscardHandler), &kept{}, time.Now()
	o := &Opener{ForDraws: true, Runtime: runtime.Runtime{Log: quiet, Now: func() time.Time { return at }}}
	o.opened = &watchdog.Monitor{Origin: archivetest.Origin, Table: sample.Table, Files: sample.Files, Known: note.VerifierList(verifier), Archive: found,
		Record: found, ForDraws: true, Log: quiet}
	read := 0 // checkpoints
	sample.Files.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "GetObject" && strings.HasPrefix(call.Keys[0], checkpoint.Path) {
			read++
		}
		return fakedynamo.Proceed
	}
	draws := map[string]int{}
	for _, told := range sample.Told {
		if told.What == wire.AppendSettlement {
			draws[told.Draw] = max(draws[told.Draw], told.State)
		}
	}
	if len(draws) == 0 {
		t.Fatal("no draw was played")
	}
	look := func(want bool) {
		t.Helper()
		for id, state := range draws {
			ctx, end := context.WithCancel(t.Context())
			var log reconcile.PublicLog
			if log, err = o.BeginDraw(ctx); err != nil {
				t.Fatal(err)
			}
			is, err := log.Logged(ctx, id, state)
			log.End()
			if end(); is != want || err != nil {
				t.Errorf("%s is logged: %t, %v; want %t", id, is, err, want)
			}
		}
	}
	if look(false); read != len(draws) || found.sent != len(draws) || len(found.lags) != len(draws) || slices.Min(found.lags) == 0 {
		t.Errorf("%d draws that are not logged: %d checkpoints read, %d sent again, behind %v; want one of each for each", len(draws), read, found.sent, found.lags)
	}
	sample.ArchiveAll()
	read, found.sent, found.lags = 0, 0, nil
	look(true)
	if look(true); read != 1 || found.sent+len(found.lags)+len(found.faults) > 0 {
		t.Errorf("draws that are logged, twice: %d checkpoints read, found %+v; want one, and nothing found", read, *found)
	}
	at = at.Add(keepFor)
	if look(true); read != 2 || len(found.faults) > 0 {
		t.Errorf("ten seconds later: %d checkpoints read in all, faults %v; want 2 and none", read, found.faults)
	}
}
