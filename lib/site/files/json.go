package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"tally/lib/draw/ids"
	"tally/lib/site/history"
)

// compact returns a value as a line of JSON. Texts of entries stay as they are:
// nothing is escaped that needs no escape.
func compact(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// ErrDamaged says that a file of the site is not one that this package makes.
var ErrDamaged = errors.New("the file is damaged")

// Read reads a JSON file that this package made.
func Read[T any](text []byte) (T, error) {
	var value T
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return value, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return value, nil
}

// ReadRows reads a day's rows.
func ReadRows(text []byte) ([]history.Row, error) {
	var rows []history.Row
	for line := range bytes.Lines(text) {
		row, err := Read[history.Row](line)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		if row.State > 0 && row.Corrected == nil { // as rows were written once
			row.Corrected = new(bool)
		}
		if err := CheckRow(row); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// CheckRow refuses a row that no draw has.
func CheckRow(row history.Row) error {
	if !ids.Valid(row.Draw) || !ids.Valid(row.Game) || len(row.Leaves) == 0 {
		return fmt.Errorf("%w: it is no row of a draw", ErrDamaged)
	}
	for i, leaf := range row.Leaves {
		if leaf < 0 || i > 0 && leaf <= row.Leaves[i-1] {
			return fmt.Errorf("%w: its entries are not in their order", ErrDamaged)
		}
	}
	return nil
}
