package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/verify"
	"tally/lib/functions"
)

// logPatience is how long the demo waits for the public log to have everything.
const logPatience = 30 * time.Second

// publicLog verifies the public log, as `tally verify` does, when it has the
// result and a settlement of every draw.
func (d *demoDay) publicLog(ctx context.Context) (demoFinding, error) {
	var report *verify.Report
	for until := time.Now().Add(logPatience); ; {
		var err error
		if report, err = verifyFolder(ctx, d.log); err != nil {
			return demoFinding{}, err
		}
		c := report.Counts
		whole := c.Openings == len(d.script.Draws) && c.Pending == 0 && c.Settlements >= c.Openings && len(report.Findings) == 0
		if whole || time.Now().After(until) {
			break
		}
		select {
		case <-ctx.Done():
			return demoFinding{}, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	c := report.Counts
	finding := demoFinding{what: fmt.Sprintf("the public log holds: its signature, every tile, and its %d entries on %d draws; %d results come out again by the rules",
		report.Size, c.Openings, c.Resolved)}
	for _, f := range report.Findings {
		finding.wrong = append(finding.wrong, f.String())
	}
	if missing := len(d.script.Draws) - c.Openings; missing != 0 || c.Pending > 0 {
		finding.wrong = append(finding.wrong, fmt.Sprintf("the public log lacks %d draws, and %d results", missing, c.Pending))
	}
	return finding, nil
}

// verifyFolder verifies the log in a folder by the key that lies beside it. One
// that does not trust who runs the log has the key from elsewhere.
func verifyFolder(ctx context.Context, folder string) (*verify.Report, error) {
	key, err := os.ReadFile(filepath.Join(folder, functions.PublicKeyPath))
	if err != nil {
		return &verify.Report{Findings: []verify.Finding{{Code: verify.NoCheckpoint, Message: "there is no log yet"}}}, nil
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		return nil, fmt.Errorf("reading the log's public key: %w", err)
	}
	source, err := verify.Open(folder)
	if err != nil {
		return nil, err
	}
	return verify.Log(ctx, source, verify.Options{Origin: verifier.Name(), Known: note.VerifierList(verifier)})
}
