package files

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"tally/lib/site/history"
	"tally/lib/site/spreadsheet"
)

// forms are the forms of a day's rows.
var forms = []struct {
	end   string
	write func([]history.Row) ([]byte, error)
}{{".ndjson", writeNDJSON}, {".csv", writeCSV}, {".parquet", writeParquet}}

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

// Columns are the columns of CSV and Parquet, in their order. Columns may be
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

// parquetRow is a row as Parquet has it. What is a pointer is null where the row
// does not have it.
type parquetRow struct {
	Draw        string  `parquet:"draw"`
	Game        string  `parquet:"game,dict"`
	Table       string  `parquet:"table,dict"`
	Sequence    int64   `parquet:"sequence"`
	OpensAt     int64   `parquet:"opens_at,timestamp(millisecond)"`
	State       *int32  `parquet:"state,optional"`
	MadeAt      *int64  `parquet:"made_at,optional,timestamp(millisecond)"`
	Revision    *int32  `parquet:"revision,optional"`
	Status      *string `parquet:"status,optional,dict"`
	Reason      *string `parquet:"reason,optional,dict"`
	Rule        *string `parquet:"rule,optional,dict"`
	Corrected   *bool   `parquet:"corrected,optional"`
	Settled     *int32  `parquet:"settled,optional"`
	Facts       *string `parquet:"facts,optional"`
	FactsSHA256 *string `parquet:"facts_sha256,optional"`
	Outcome     *string `parquet:"outcome,optional"`
	Leaves      []int64 `parquet:"leaves,list"`
}

// writeParquet writes rows in one row group. Who made the file is no version of
// the library, so that a newer one, as long as it writes the same, makes the same
// file.
func writeParquet(rows []history.Row) ([]byte, error) {
	var out bytes.Buffer
	list := make([]parquetRow, len(rows))
	for i, row := range rows {
		opensAt, err := milliseconds(row.OpensAt)
		if err != nil {
			return nil, fmt.Errorf("writing Parquet: draw %s: %w", row.Draw, err)
		}
		list[i] = parquetRow{Draw: row.Draw, Game: row.Game, Table: row.Table, Sequence: row.Sequence, OpensAt: opensAt,
			State: some(int32(row.State)), Revision: some(int32(row.Revision)), Status: some(string(row.Status)), Reason: some(row.Reason),
			Rule: some(row.Rule), Corrected: row.Corrected, Settled: some(int32(row.Settled)), Facts: some(string(row.Facts)),
			FactsSHA256: some(row.FactsSHA256), Outcome: some(string(row.Outcome)), Leaves: row.Leaves}
		if row.MadeAt != "" {
			madeAt, err := milliseconds(row.MadeAt)
			if err != nil {
				return nil, fmt.Errorf("writing Parquet: draw %s: %w", row.Draw, err)
			}
			list[i].MadeAt = &madeAt
		}
	}
	err := parquet.Write(&out, list, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("tally", strconv.Itoa(Schema), ""))
	if err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	return out.Bytes(), nil
}

// some returns a pointer to a value, nil for the zero value.
func some[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

func milliseconds(text string) (int64, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, fmt.Errorf("reading a time: %w", err)
	}
	return at.UnixMilli(), nil
}
