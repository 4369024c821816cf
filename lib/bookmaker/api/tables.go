package api

import (
	"context"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/tables"
)

// listTables lists the tables of which the studio has said anything.
func listTables(ctx context.Context, r *request) (any, error) {
	states, err := tables.List(ctx, r.api.table)
	if err != nil {
		return nil, err
	}
	list := v1.Tables{Tables: []v1.Table{}}
	for _, s := range states {
		shown := v1.Table{Table: s.Table, Status: s.Status(), Reason: s.Reason, HeardAt: instant.Format(s.HeardAt)}
		if !s.Suspended && s.Silent(r.api.now()) {
			shown.Status = tables.StatusSilent
		}
		if s.ChangedAt != 0 {
			shown.Since = instant.Format(s.ChangedAt)
		}
		list.Tables = append(list.Tables, shown)
	}
	return list, nil
}
