//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/bookmaker/audit"
	"tally/lib/bookmaker/reports"
)

// logPatience is how long the demo waits for the public log to have everything.
const logPatience = 5 * time.Minute

// publicLog verifies the public log, and compares the reports to all bookmakers with
// it, as `tally verify` does, when it has the newest settlement of every draw.
func (d *demoDay) publicLog(ctx context.Context) ([]demoFinding, error) {
	var report *verify.Report
	var missing []string
	for until := time.Now().Add(logPatience); ; {
		var err error
		if report, err = verifyFolder(ctx, d.log); err != nil {
			return nil, err
		}
		missing = d.notLogged(report)
		if len(missing) == 0 && len(report.Findings) == 0 || time.Now().After(until) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	c := report.Counts
	finding := demoFinding{what: fmt.Sprintf("the public log holds: its signature, every tile, and its %d entries on %d draws; %d results come out again by the rules",
		report.Size, c.Openings, c.Resolved)}
	for _, draw := range missing {
		finding.wrong = append(finding.wrong, "the public log lacks the newest settlement of draw "+draw)
	}
	compared, err := audit.Compare(ctx, reports.New(d.table), report.Settlements, "")
	if err != nil {
		return nil, err
	}
	reports := demoFinding{what: fmt.Sprintf("the log commits to each of the %d reports to bookmakers, to its %d lines in all, and to what they add up to", compared.Reports, compared.Lines)}
	finding.say(report.Findings)
	reports.say(compared.Findings)
	return []demoFinding{finding, reports}, nil
}

// say adds what verifying has found.
func (f *demoFinding) say(found []verify.Finding) {
	for _, one := range found {
		f.wrong = append(f.wrong, one.String())
	}
}

// notLogged returns the draws whose newest settlement is not in the log.
func (d *demoDay) notLogged(report *verify.Report) (draws []string) {
	logged := map[string]int{}
	for _, s := range report.Settlements {
		logged[s.Draw] = max(logged[s.Draw], s.State)
	}
	for _, draw := range d.script.Draws {
		if id := draw.ID(d.start); logged[id] < d.states[draw] {
			draws = append(draws, id)
		}
	}
	return draws
}

// proofFile is the proof of the followed bet, beside the log and the site.
const proofFile = "bet.proof"

// proveFollowed has the bookmaker of the followed bet prove, by the log, what the bet
// was settled to, and checks that as whoever gets the proof would.
func (d *demoDay) proveFollowed(ctx context.Context) (demoFinding, error) {
	b := d.script.Followed
	if b == nil || d.accepted[d.key(b)] == nil {
		return demoFinding{what: "no bet of this script was followed"}, nil
	}
	key := d.key(b)
	line := d.books.lines[key]
	finding := demoFinding{what: fmt.Sprintf("the bet that was followed, %s of %s, is in the log: the proof of it shows that bet alone", b.Reference, b.Bookmaker)}
	source, options, err := openFolder(d.log)
	if err != nil {
		return demoFinding{}, err
	}
	settled, err := reports.New(d.table).Reports(ctx, key.draw, line.State)
	if err != nil {
		return demoFinding{}, err
	}
	at := slices.IndexFunc(settled, func(r audit.Reported) bool { return r.Bookmaker == b.Bookmaker && r.Disclosure != nil })
	if at < 0 {
		finding.wrong = append(finding.wrong, fmt.Sprintf("there is no disclosure of state %d of draw %s", line.State, key.draw))
		return finding, nil
	}
	proved, err := proofOfBet(ctx, source, options, settled[at].Disclosure, settled[at].Lines, key.bet, key.wager)
	if err != nil {
		finding.wrong = append(finding.wrong, err.Error())
		return finding, nil
	}
	text, err := proved.Format()
	if err != nil {
		return demoFinding{}, err
	}
	read, c, err := proved.Check(options.Origin, options.Known)
	if err != nil {
		finding.wrong = append(finding.wrong, err.Error())
		return finding, nil
	}
	where := ""
	if d.kept != "" {
		where = "; the proof is " + filepath.Join(d.kept, proofFile)
		if err := os.WriteFile(filepath.Join(d.kept, proofFile), text, 0o644); err != nil {
			return demoFinding{}, err
		}
	}
	d.show.line(b.Reference, "proved: %s %s %s is under %s in the public log, which has %d entries and is signed%s",
		line.Status, line.Payout, line.Currency, read.ID(), c.Tree.N, where)
	return finding, nil
}

// openFolder opens the log in a folder with the key that lies beside it. One that does
// not trust who runs the log has the key from elsewhere.
func openFolder(folder string) (verify.Source, verify.Params, error) {
	key, err := os.ReadFile(filepath.Join(folder, tiles.KeysPath))
	if err != nil {
		return nil, verify.Params{}, err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		return nil, verify.Params{}, fmt.Errorf("reading the log's public key: %w", err)
	}
	source, err := verify.Open(folder)
	return source, verify.Params{Origin: verifier.Name(), Known: note.VerifierList(verifier), KeepSettlements: true}, err
}

// verifyFolder verifies the log in a folder.
func verifyFolder(ctx context.Context, folder string) (*verify.Report, error) {
	source, options, err := openFolder(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return &verify.Report{Findings: []verify.Finding{{Code: verify.NoCheckpoint, Message: "there is no log yet"}}}, nil
	}
	if err != nil {
		return nil, err
	}
	return verify.Log(ctx, source, options)
}
