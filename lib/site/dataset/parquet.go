package dataset

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"

	"tally/lib/site/files"
	"tally/lib/site/history"
)

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

// write writes rows in one row group. Who made the file is no version of
// the library, so that a newer one, as long as it writes the same, makes the same
// file.
func write(rows []history.Row) ([]byte, error) {
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
	err := parquet.Write(&out, list, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("tally", strconv.Itoa(files.Schema), ""))
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
