package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tally/lib/archive/verify"
	"tally/lib/bookmaker/audit"
	"tally/lib/bookmaker/client"
)

// inTable begins the name of tally's table in --reports.
const inTable = "dynamodb://"

// compare compares reports with the settlements of the log. draw is the one draw
// that was verified; empty for all.
func (f *verifyFlags) compare(ctx context.Context, app *app, report *verify.Report, draw string) error {
	source, err := f.source(ctx, app)
	if err != nil {
		return err
	}
	result, err := audit.Compare(ctx, source, report.Settlements, draw)
	if err != nil {
		return err
	}
	report.Compared = result
	for _, finding := range result.Findings {
		report.Find(finding)
	}
	return nil
}

// source opens the reports.
func (f *verifyFlags) source(ctx context.Context, app *app) (audit.ReportSource, error) {
	if table, is := strings.CutPrefix(f.reports, inTable); is {
		if f.keepReports != "" {
			return nil, errors.New("--keep-reports is for the reports of one bookmaker, from the API")
		}
		return app.openTable(ctx, table)
	}
	if !isURL(f.reports) {
		return audit.FromFolder(f.reports)
	}
	key := app.getenv("TALLY_API_KEY")
	if f.apiKey != "" {
		text, err := os.ReadFile(f.apiKey)
		if err != nil {
			return nil, fmt.Errorf("reading the key of the API: %w", err)
		}
		key = strings.TrimSpace(string(text))
	}
	if key == "" {
		return nil, errors.New("the API needs a key: in the variable TALLY_API_KEY, or in a file that --api-key names")
	}
	c, err := client.New(f.reports, key)
	if err != nil {
		return nil, err
	}
	source, err := audit.FromAPI(ctx, c, time.Now())
	if err != nil || f.keepReports == "" {
		return source, err
	}
	return audit.Keep(source, f.keepReports)
}
