package keys

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tally/lib/draw/ids"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/store"
)

// Settings are what an operator has set for a bookmaker.
type Settings struct {
	Rounding string                 `json:"rounding,omitempty"`  // of payouts: half_up, half_even or down
	MinStake map[string]string      `json:"min_stake,omitempty"` // of one bet, by currency; no entry, no limit
	MaxStake map[string]string      `json:"max_stake,omitempty"` // likewise
	Games    map[string]StakeLimits `json:"games,omitempty"`     // by game; what one of them says goes before
	// RequestsPerSecond is how many requests one instance of the API answers the
	// bookmaker in a second; zero for defaultRate.
	RequestsPerSecond int `json:"requests_per_second,omitempty"`
}

// StakeLimits are the least and the greatest stakes of bets on one game, by currency.
type StakeLimits struct {
	MinStake map[string]string `json:"min_stake,omitempty"`
	MaxStake map[string]string `json:"max_stake,omitempty"`
}

// defaultRate is the limit of requests where none is set.
const defaultRate = 200

// maxRate bounds what can be set.
const maxRate = 100_000

// withDefaults fills in what is not set.
func (s Settings) withDefaults() Settings {
	if s.Rounding == "" {
		s.Rounding = money.HalfUp.String()
	}
	if s.MinStake == nil {
		s.MinStake = map[string]string{}
	}
	if s.MaxStake == nil {
		s.MaxStake = map[string]string{}
	}
	if s.Games == nil {
		s.Games = map[string]StakeLimits{}
	}
	if s.RequestsPerSecond == 0 {
		s.RequestsPerSecond = defaultRate
	}
	return s
}

// Terms returns what the settings are to bets; everything that is wrong
// with them is in the error.
func (s Settings) Terms() (money.Terms, error) {
	s = s.withDefaults()
	var faults []error
	rounding, known := money.ParseRounding(s.Rounding)
	if !known {
		faults = append(faults, fmt.Errorf("there is no rounding %.20q, only half_up, half_even and down", s.Rounding))
	}
	amounts := func(of map[string]string) map[string]money.Amount {
		read, wrong := stakes(of)
		faults = append(faults, wrong...)
		return read
	}
	made := money.Terms{Rounding: rounding, MinStake: amounts(s.MinStake), MaxStake: amounts(s.MaxStake), Games: map[string]money.Limits{}}
	for _, id := range slices.Sorted(maps.Keys(s.Games)) {
		if _, known := games.Find(id); !known {
			faults = append(faults, fmt.Errorf("there is no game %.40q", id))
			continue
		}
		made.Games[id] = money.Limits{MinStake: amounts(s.Games[id].MinStake), MaxStake: amounts(s.Games[id].MaxStake)}
	}
	faults = append(faults, crossed(made)...)
	if s.RequestsPerSecond < 1 || s.RequestsPerSecond > maxRate {
		faults = append(faults, fmt.Errorf("%d requests a second is not between 1 and %d", s.RequestsPerSecond, maxRate))
	}
	return made, errors.Join(faults...)
}

// stakes reads amounts by currency, and says what is wrong with them.
func stakes(of map[string]string) (read map[string]money.Amount, faults []error) {
	read = map[string]money.Amount{}
	for _, code := range slices.Sorted(maps.Keys(of)) {
		currency, known := money.ParseCurrency(code)
		if !known {
			faults = append(faults, fmt.Errorf("%.10q is no ISO 4217 currency", code))
			continue
		}
		amount, err := money.ParseStake(of[code], currency)
		if err != nil {
			faults = append(faults, fmt.Errorf("%.40q is no amount in %s: write a decimal with exactly %d decimals", of[code], code, currency.Digits()))
			continue
		}
		read[code] = amount
	}
	return read, faults
}

// crossed says of which games, and in which currencies, no stake is left.
func crossed(t money.Terms) (faults []error) {
	for _, game := range games.All() {
		codes := map[string]bool{}
		for _, of := range []map[string]money.Amount{t.MinStake, t.MaxStake, t.Games[game.ID].MinStake, t.Games[game.ID].MaxStake} {
			for code := range of {
				codes[code] = true
			}
		}
		for _, code := range slices.Sorted(maps.Keys(codes)) {
			if least, most := t.Bounds(game.ID, code); most != 0 && least > most {
				faults = append(faults, fmt.Errorf("the least stake on %s in %s is above the greatest", game.ID, code))
			}
		}
	}
	return faults
}

// Settings reads a bookmaker's settings, with the defaults for what is not set.
func (s *Registry) Settings(ctx context.Context, bookmaker string) (Settings, error) {
	settings, _, err := loadSettings(ctx, s.Table, bookmaker)
	return settings.withDefaults(), err
}

// loadSettings reads what is set and its version, 0 when nothing is.
func loadSettings(ctx context.Context, table *store.Table, bookmaker string) (Settings, int64, error) {
	settings, item, err := store.Read[Settings](ctx, table, store.BookmakerKey(bookmaker), store.SettingsKey)
	return settings, item.Version, err
}

// Set changes a bookmaker's settings. Within 30 seconds they hold everywhere; a
// bet keeps the rounding that it was stored with.
func (s *Registry) Set(ctx context.Context, bookmaker string, change func(*Settings)) (Settings, error) {
	if !ids.Valid(bookmaker) {
		return Settings{}, wrong("%.80q is no bookmaker: write 1 to 64 of A-Z a-z 0-9 . _ -", bookmaker)
	}
	settings, version, err := loadSettings(ctx, s.Table, bookmaker)
	if err != nil {
		return Settings{}, err
	}
	before := maps.Clone(settings.MaxStake)
	change(&settings)
	if _, err := settings.Terms(); err != nil {
		return Settings{}, wrong("%v", err)
	}
	for code, limit := range settings.MaxStake { // one that was withdrawn since it was set may stay
		if _, active := money.ParseActive(code); !active && before[code] != limit {
			return Settings{}, wrong("%.10q is no active ISO 4217 currency", code)
		}
	}
	err = s.Table.Replace(ctx, store.Item{PK: store.BookmakerKey(bookmaker), SK: store.SettingsKey, Body: store.Encode(settings), Version: version + 1})
	return settings.withDefaults(), err
}
