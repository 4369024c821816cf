package api

import (
	"context"
	"encoding/json"
	"strings"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/rules"
	"tally/lib/store/record"
)

// draw reads the request's draw.
func (r *request) draw(ctx context.Context) (*record.Draw, error) {
	d, err := record.Open(ctx, r.api.table, r.path["draw"])
	if err == nil && !d.Opened() {
		err = unknownDraw(r.path["draw"])
	}
	return d, err
}

func unknownDraw(id string) error {
	return newProblem(placing.CodeUnknownDraw, "there is no draw %s", id)
}

// noteWaits says that a correction of the draw waits until an operator releases it.
const noteWaits = "correction_waits"

// getDraw answers all that is known of a draw: its head, the boards of its betting
// rounds, the studio's revisions and the states made of them.
func getDraw(ctx context.Context, r *request) (any, error) {
	d, err := r.draw(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.LoadHistory(ctx); err != nil {
		return nil, err
	}
	head, now := d.Head, r.api.now()
	detail := v1.DrawDetail{Draw: drawOf(head, now), Boards: []v1.Board{}, Revisions: []v1.Revision{}, States: []v1.State{},
		KeptUntil: instant.Format(head.RetainUntil)}
	run, _, err := d.Run()
	if err != nil {
		return nil, err
	}
	if run.Held != nil {
		detail.Notes = append(detail.Notes, noteWaits)
	}
	current, open := head.RoundAt(now)
	for _, round := range head.Rounds {
		if round.OpensAt == 0 {
			continue
		}
		board, err := boardOf(ctx, d, round)
		if err != nil {
			return nil, err
		}
		board.Current = open && round.Number == current
		detail.Boards = append(detail.Boards, *board)
	}
	revisions, err := d.Revisions(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range revisions {
		detail.Revisions = append(detail.Revisions, revisionOf(m))
	}
	for number := range head.State {
		state, err := d.State(ctx, number+1)
		if err != nil {
			return nil, err
		}
		detail.States = append(detail.States, v1.State{State: state.Number, Revision: state.Revision, MadeAt: instant.Format(state.MadeAt)})
	}
	return detail, nil
}

// boardOf returns the board of a betting round.
func boardOf(ctx context.Context, d *record.Draw, round draw.Round) (*v1.Board, error) {
	board := &v1.Board{Round: round.Number}
	opening, priced, err := d.Round(ctx, round.Number, round.OpenedAt != 0, round.Board)
	if err != nil {
		return nil, err
	}
	if priced != nil {
		board.Odds = oddsOf(priced.Board)
	}
	if opening != nil {
		board.Visible, board.Decided = json.RawMessage(opening.Visible), decidedOf(d.Game, opening.Decided)
	}
	return board, nil
}

// oddsOf writes a board; nil where the game has none.
func oddsOf(board wire.OddsBoard) map[string]string {
	if board == nil {
		return nil
	}
	odds := make(map[string]string, len(board))
	for name, entry := range board {
		if odds[name] = entry.Odds.String(); entry.Mark != rules.Open {
			odds[name] = entry.Mark.String()
		}
	}
	return odds
}

func decidedOf(game *rules.Game, marks wire.DecidedMarks) map[string]string {
	if len(marks) == 0 {
		return nil
	}
	decided := make(map[string]string, len(marks))
	for selection, mark := range marks {
		decided[game.Text(selection)] = mark.String()
	}
	return decided
}

// revisionOf says what a stored result or cancellation says. The studio's notes
// are left out: they are free text.
func revisionOf(m *wire.Message) v1.Revision {
	revision := v1.Revision{Revision: m.Revision, Type: string(m.Type), StoredAt: instant.Format(m.StoredAt), Facts: json.RawMessage(m.Facts),
		Void: m.Resolution.Void.Reason, Reason: strings.TrimSpace(m.Reason + " " + m.Correction)}
	if m.Resolution.Outcome != nil {
		revision.Outcome = m.Resolution.Outcome.AppendJSON(nil)
	}
	if v := m.Video; v != nil {
		revision.Video = &v1.Video{URL: v.URL, SHA256: v.SHA256, FromMs: v.From, ToMs: v.To}
		if v.KeptUntil != 0 {
			revision.Video.KeptUntil = instant.Format(v.KeptUntil)
		}
	}
	return revision
}
