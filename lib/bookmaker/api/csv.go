package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
)

const formatCSV = "csv"

// writeCSV writes rows under a heading, by RFC 4180.
func writeCSV[T any](heading []string, list []T, row func(T) []string) (response, error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.UseCRLF = true
	rows := [][]string{heading}
	for _, each := range list {
		rows = append(rows, row(each))
	}
	if err := w.WriteAll(rows); err != nil {
		return response{}, fmt.Errorf("writing CSV: %w", err)
	}
	return response{status: http.StatusOK, media: "text/csv; charset=utf-8", text: text.Bytes()}, nil
}
