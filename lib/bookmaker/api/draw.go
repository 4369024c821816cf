package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/rules"
	"tally/lib/store"
	"tally/lib/store/record"
)

// head reads the head of the request's draw.
func (r *request) head(ctx context.Context) (*draw.Head, error) {
	head, version, err := record.LoadHead(ctx, r.api.table, r.path["draw"])
	if err != nil {
		return nil, err
	}
	if version == 0 || !head.Opened {
		return nil, unknownDraw(r.path["draw"])
	}
	return head, nil
}

func unknownDraw(id string) error {
	return newProblem(placing.CodeUnknownDraw, "there is no draw %s", id)
}

// noteWaits says that a correction of the draw waits until an operator releases it.
const noteWaits = "correction_waits"

// getDraw answers all that is known of a draw: its head, the boards of its betting
// rounds, the studio's revisions and the states made of them.
func getDraw(ctx context.Context, r *request) (any, error) {
	head, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	d := v1.DrawDetail{Draw: drawOf(head, r.api.now()), Boards: []v1.Board{}, Revisions: []v1.Revision{}, States: []v1.State{},
		KeptUntil: wire.FormatTime(head.RetainUntil)}
	if head.State > 1 { // there is a correction
		held, err := settle.HeldState(ctx, r.api.table, head.Draw)
		if err != nil {
			return nil, err
		}
		if held != 0 {
			d.Notes = append(d.Notes, noteWaits)
		}
	}
	if err := r.boards(ctx, &d, head); err != nil {
		return nil, err
	}
	game, err := head.Rules()
	if err != nil {
		return nil, err
	}
	for item, err := range r.api.table.Query(ctx, store.DrawKey(head.Draw), "REV#") {
		if err != nil {
			return nil, err
		}
		revision, err := revisionOf(item, game)
		if err != nil {
			return nil, err
		}
		d.Revisions = append(d.Revisions, revision)
	}
	for item, err := range r.api.table.Query(ctx, store.DrawKey(head.Draw), "STATE#") {
		if err != nil {
			return nil, err
		}
		var state draw.State
		if err := json.Unmarshal([]byte(item.Body), &state); err != nil {
			return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
		}
		d.States = append(d.States, v1.State{State: state.Number, Revision: state.Revision, MadeAt: wire.FormatTime(state.MadeAt)})
	}
	return d, nil
}

// boards adds the boards of the betting rounds.
func (r *request) boards(ctx context.Context, d *v1.DrawDetail, head *draw.Head) error {
	current, open := head.RoundAt(r.api.now())
	opened := r.opened(ctx, head)
	for _, round := range head.Rounds {
		if round.OpensAt == 0 {
			continue
		}
		board, err := r.board(ctx, head, round, opened)
		if err != nil {
			return err
		}
		board.Current = open && round.Number == current
		d.Boards = append(d.Boards, *board)
	}
	return nil
}

// opened returns what reads the message that opened a draw, once.
func (r *request) opened(ctx context.Context, head *draw.Head) func() (*stored, error) {
	return sync.OnceValues(func() (*stored, error) { return r.message(ctx, head, store.OpenedKey) })
}

// board returns the board of a betting round.
func (r *request) board(ctx context.Context, head *draw.Head, round draw.Round, opened func() (*stored, error)) (*v1.Board, error) {
	board := &v1.Board{Round: round.Number}
	if round.Board == wire.DrawOpened {
		m, err := opened()
		if err != nil {
			return nil, err
		}
		board.Odds = oddsOf(m.Board)
	}
	if round.OpenedAt != 0 {
		m, err := r.message(ctx, head, store.RoundKey(round.Number))
		if err != nil {
			return nil, err
		}
		if round.Board == wire.BettingOpened {
			board.Odds = oddsOf(m.Board)
		}
		board.Visible, board.Decided = m.Visible, decidedOf(m.Game, m.Decided)
	}
	return board, nil
}

// stored is a stored message, with the cards that it shows as they were sent.
type stored struct {
	*wire.Message
	Visible json.RawMessage
}

func (r *request) message(ctx context.Context, head *draw.Head, sk string) (*stored, error) {
	game, err := head.Rules()
	if err != nil {
		return nil, err
	}
	item, exists, err := r.api.table.Sure(ctx, store.DrawKey(head.Draw), sk)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, fmt.Errorf("draw %s lacks %s, which its head names", head.Draw, sk)
	}
	m, err := parse(item, game)
	if err != nil {
		return nil, err
	}
	var raw struct {
		Visible json.RawMessage `json:"visible"`
	}
	if err := json.Unmarshal([]byte(item.Body), &raw); err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	return &stored{m, raw.Visible}, nil
}

// parse reads a stored message back.
func parse(item store.Item, game *rules.Game) (*wire.Message, error) {
	m, _, faults := wire.ParseUnder([]byte(item.Body), game)
	if len(faults) > 0 {
		return nil, fmt.Errorf("stored %s / %s is no longer valid: %s: %s", item.PK, item.SK, faults[0].Code, faults[0].Message)
	}
	return m, nil
}

// oddsOf writes a board; nil where the game has none.
func oddsOf(board wire.Board) map[string]string {
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
func revisionOf(item store.Item, game *rules.Game) (v1.Revision, error) {
	m, err := parse(item, game)
	if err != nil {
		return v1.Revision{}, err
	}
	var raw struct {
		Facts      json.RawMessage `json:"facts"`
		Correction struct {
			Reason string `json:"reason"`
		} `json:"correction"`
	}
	if err := json.Unmarshal([]byte(item.Body), &raw); err != nil {
		return v1.Revision{}, fmt.Errorf("reading %s / %s: %w", item.PK, item.SK, err)
	}
	revision := v1.Revision{Revision: m.Revision, Type: string(m.Type), StoredAt: wire.FormatTime(item.StoredAt), Facts: raw.Facts,
		Void: m.Resolution.Void.Reason, Reason: strings.TrimSpace(m.Reason + " " + raw.Correction.Reason)}
	if m.Resolution.Outcome != nil {
		revision.Outcome = m.Resolution.Outcome.AppendJSON(nil)
	}
	return revision, nil
}
