package files

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"tally/lib/site/history"
	"tally/lib/site/spreadsheet"
)

// forms are the forms of a day's rows.
var forms = []struct {
	end   string
	write func([]history.Row) ([]byte, error)
}{{".ndjson", writeNDJSON}, {".csv", writeCSV}}

func writeNDJSON(rows []history.Row) ([]byte, error) {
	var out bytes.Buffer
	for _, row := range rows {
		line, err := compact(row)
		if err != nil {
			return nil, fmt.Errorf("writing the row of draw %s: %w", row.Draw, err)
		}
		out.Write(line)
	}
	return out.Bytes(), nil
}

// Columns are the columns of CSV, and of the data sets of lib/site/dataset, in their order. Columns may be
// added at the end.
var Columns = []string{"draw", "game", "table", "sequence", "opens_at", "state", "made_at", "revision", "status", "reason", "rule",
	"corrected", "settled", "facts", "facts_sha256", "outcome", "leaves"}

// writeCSV writes rows under a heading, by RFC 4180.
func writeCSV(rows []history.Row) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	if err := w.Write(Columns); err != nil {
		return nil, fmt.Errorf("writing CSV: %w", err)
	}
	for _, row := range rows {
		record := []string{row.Draw, row.Game, row.Table, strconv.FormatInt(row.Sequence, 10), row.OpensAt, number(row.State), row.MadeAt,
			number(row.Revision), string(row.Status), row.Reason, row.Rule, boolean(row.Corrected), number(row.Settled),
			string(row.Facts), row.FactsSHA256, string(row.Outcome), indexes(row.Leaves)}
		for i := range record {
			record[i] = spreadsheet.Harmless(record[i])
		}
		if err := w.Write(record); err != nil {
			return nil, fmt.Errorf("writing CSV: %w", err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("writing CSV: %w", err)
	}
	return out.Bytes(), nil
}

// number writes a number, nothing for none.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// boolean writes whether something is so, nothing where it is neither.
func boolean(is *bool) string {
	if is == nil {
		return ""
	}
	return strconv.FormatBool(*is)
}

func indexes(leaves []int64) string {
	texts := make([]string, len(leaves))
	for i, leaf := range leaves {
		texts[i] = strconv.FormatInt(leaf, 10)
	}
	return strings.Join(texts, " ")
}
