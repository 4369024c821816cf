// Package report is what is reported to bookmakers of a settled draw, as pure values: a
// line for each bet, the pages that keep the lines, the entry of the feed as it is
// stored, and the same entry as the API and webhooks tell it. Settle writes them;
// webhook, the API, its client and auditors read them, and none of these needs
// another for it.
package report

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
)

// Line is a line of a report.
type Line struct {
	Bet      string `json:"bet"`
	Wager    string `json:"wager,omitempty"` // the selection of a side wager
	Status   string `json:"status"`
	Stake    string `json:"stake"`
	Payout   string `json:"payout"`
	Currency string `json:"currency"`
	Reason   string `json:"reason,omitempty"`
	Rule     string `json:"rule,omitempty"`
	State    int    `json:"state"`
	Replaces int    `json:"replaces,omitempty"` // 0 for the bet's first line
}

// LineOf is the line of a bet under a state, and the state that it replaces.
func LineOf(b *settlement.Bet, s settlement.BetResult, state, replaces int) Line {
	return Line{Bet: b.Reference, Wager: b.Wager, Status: s.Result.String(), Stake: string(money.AppendAmount(nil, b.Stake, b.Currency)),
		Payout: string(money.AppendAmount(nil, s.Payout, b.Currency)), Currency: b.Currency.Code(), Reason: s.Reason, Rule: s.Rule, State: state, Replaces: replaces}
}

// ParseLines reads the lines of an inflated page.
func ParseLines(text []byte) ([]Line, error) {
	lines := []Line{}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	for decoder.More() {
		var line Line
		if err := decoder.Decode(&line); err != nil {
			return nil, fmt.Errorf("reading a page's line: %w", err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// MaxPageLines is the most lines of a page.
const MaxPageLines = 1000

// Deflate compresses a page's lines.
func Deflate(lines []byte) ([]byte, error) {
	var buffer bytes.Buffer
	w, err := flate.NewWriter(&buffer, flate.DefaultCompression)
	if err != nil {
		return nil, fmt.Errorf("compressing a page: %w", err)
	}
	if _, err := w.Write(lines); err != nil {
		return nil, fmt.Errorf("compressing a page: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compressing a page: %w", err)
	}
	return buffer.Bytes(), nil
}

// Inflate returns a page's lines. A page that inflates to more than any page
// may have is an error.
func Inflate(page []byte) ([]byte, error) {
	const most = MaxPageLines * 1024
	lines, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(page)), most+1))
	if err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	if len(lines) > most {
		return nil, fmt.Errorf("reading a page: it has more than %d bytes", most)
	}
	return lines, nil
}
