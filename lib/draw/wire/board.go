package wire

import (
	"sync"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// OddsBoard is an odds board: odds, or a mark, by selection or by the catalogue's
// group of equally likely selections.
type OddsBoard map[string]BoardEntry

// BoardEntry is what a board says of a selection.
type BoardEntry struct {
	Odds money.Odds // zero when it is decided
	Mark rules.Mark
}

// Entry returns what the board says of a selection: its own entry before its
// group's.
func (b OddsBoard) Entry(game *rules.Game, s rules.Selection) (BoardEntry, bool) {
	if entry, ok := b[game.Text(s)]; ok {
		return entry, true
	}
	if group := game.BoardGroup(s); group != "" {
		entry, ok := b[group]
		return entry, ok
	}
	return BoardEntry{}, false
}

// odds reads the odds board of a message that has one.
func (r *reader) odds(o strictjson.Object, m *Message) {
	if v, present := o.Optional("odds"); present {
		m.Odds, m.Board = v.Raw(), r.readBoard(v, m.Game)
	}
}

// readBoard reads a board of a game.
func (r *reader) readBoard(v strictjson.Value, game *rules.Game) OddsBoard {
	o, ok := v.Object()
	if !ok {
		return nil
	}
	if game.Paytable() {
		r.fault(CodeBadOdds, "", v.Path()+": "+game.Title+" has a paytable: the studio gives no odds")
		return nil
	}
	groups := boardGroups(game)
	board := OddsBoard{}
	for member := range o.Members {
		text, isText := member.String()
		if !isText {
			continue
		}
		name := member.Name()
		if _, err := game.Parse(name); err != nil && !groups[name] {
			r.fault(CodeBadOdds, "", member.Path()+": neither a selection nor a group of selections of "+game.Title)
			continue
		}
		entry, ok := parseEntry(string(text))
		if !ok {
			r.fault(CodeBadOdds, "", member.Path()+": "+money.ErrOdds.Error()+", or win or lose")
			continue
		}
		board[name] = entry
	}
	return board
}

func parseEntry(text string) (BoardEntry, bool) {
	switch text {
	case rules.MarkWin.String():
		return BoardEntry{Mark: rules.MarkWin}, true
	case rules.MarkLose.String():
		return BoardEntry{Mark: rules.MarkLose}, true
	}
	odds, err := money.ParseOdds(text)
	return BoardEntry{Odds: odds}, err == nil
}

// boardGroups returns the names of a game's groups of equally likely
// selections.
func boardGroups(game *rules.Game) map[string]bool {
	if known, is := groupsOf.Load(game); is {
		return known.(map[string]bool)
	}
	groups := map[string]bool{}
	for _, name := range game.BoardGroups() {
		groups[name] = true
	}
	groupsOf.Store(game, groups)
	return groups
}

// groupsOf keeps what boardGroups returns by game: Lucky 7 has 125,073 selections to go through.
var groupsOf sync.Map

// Marks adds the selections that the board marks as decided, those of its
// groups too.
func (b OddsBoard) Marks(game *rules.Game, decided map[rules.Selection]rules.Mark) {
	marked := false
	for _, entry := range b {
		marked = marked || entry.Mark != rules.Open
	}
	if !marked {
		return
	}
	for s := range game.Selections {
		if entry, ok := b.Entry(game, s); ok && entry.Mark != rules.Open {
			decided[s] = entry.Mark
		}
	}
}
