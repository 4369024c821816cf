//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/bookmaker/keys"
)

// settingsFlags are what `tally keys settings` sets.
type settingsFlags struct {
	rounding string
	minStake []string
	maxStake []string
	requests int
}

func (app *app) newKeySettingsCommand(flags *keysFlags) *cobra.Command {
	command := app.keysCommand(flags, "settings bookmaker", "show or set a bookmaker's rounding and limits",
		`settings shows what holds for a bookmaker; with flags it sets that first. A
change holds within 30 seconds. A bet keeps the rounding that it was placed
with.

Stakes are limited by currency, EUR=1000.00, and by game and currency,
roulette:EUR=200.00, which goes before. The least stake is one of bets: what a
side bet costs follows from the bet that it is made on.`, app.keysSettings)
	command.Flags().Var(&choice{chosen: &flags.rounding, words: []string{"half_up", "half_even", "down"}},
		"rounding", "`how` payouts are rounded")
	command.Flags().StringArrayVar(&flags.minStake, "min-stake", nil, "least stake of a bet, such as EUR=0.50 or roulette:EUR=1.00; EUR= for no\nlimit; may be given more than once: `[game:]currency=amount`")
	command.Flags().StringArrayVar(&flags.maxStake, "max-stake", nil, "largest stake of a bet, likewise: `[game:]currency=amount`")
	command.Flags().Var(&whole{number: &flags.requests, least: 1, most: 100_000},
		"requests", "so `many` requests in a second, of each instance of the API")
	command.Flags().Lookup("requests").DefValue = ""
	return command
}

func (app *app) keysSettings(ctx context.Context, store *keys.Registry, flags *keysFlags, args []string) error {
	limits, err := flags.limits()
	if err != nil {
		return err
	}
	settings, err := store.Settings(ctx, args[0])
	changes := flags.rounding != "" || len(limits) > 0 || flags.requests > 0
	if err == nil && changes {
		settings, err = store.Set(ctx, args[0], func(s *keys.Settings) { flags.settingsFlags.apply(s, limits) })
	}
	if misuse := (*keys.ParamsError)(nil); errors.As(err, &misuse) {
		return misuse
	}
	if err != nil {
		return failed("setting "+args[0], unreachable(err))
	}
	if err := write(app.out, app.settingsOf(settings)); err != nil || !changes {
		return err
	}
	_, err = fmt.Fprintln(app.err, "stored; it holds within 30 seconds, everywhere")
	return failed("writing", err)
}

// stakeLimit is a limit of stakes as a flag says it.
type stakeLimit struct {
	game, currency, amount string // without a game of all; without an amount none
	least                  bool
}

// limits reads the flags that limit stakes.
func (f *settingsFlags) limits() (limits []stakeLimit, err error) {
	for _, flag := range []struct {
		name  string
		pairs []string
		least bool
	}{{"min-stake", f.minStake, true}, {"max-stake", f.maxStake, false}} {
		for _, pair := range flag.pairs {
			of, amount, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, fmt.Errorf("--%s is %q: write currency=amount or game:currency=amount, such as EUR=1000.00", flag.name, pair)
			}
			game, currency, ofGame := strings.Cut(of, ":")
			if !ofGame {
				game, currency = "", of
			}
			limits = append(limits, stakeLimit{game: game, currency: currency, amount: amount, least: flag.least})
		}
	}
	return limits, nil
}

// apply sets the limit, or takes it away.
func (l stakeLimit) apply(s *keys.Settings) {
	of := keys.StakeLimits{MinStake: s.MinStake, MaxStake: s.MaxStake}
	if l.game != "" {
		of = s.Games[l.game]
	}
	amounts := &of.MaxStake
	if l.least {
		amounts = &of.MinStake
	}
	if *amounts == nil {
		*amounts = map[string]string{}
	}
	if (*amounts)[l.currency] = l.amount; l.amount == "" {
		delete(*amounts, l.currency)
	}
	switch {
	case l.game == "":
		s.MinStake, s.MaxStake = of.MinStake, of.MaxStake
	case len(of.MinStake)+len(of.MaxStake) == 0:
		delete(s.Games, l.game)
	default:
		if s.Games == nil {
			s.Games = map[string]keys.StakeLimits{}
		}
		s.Games[l.game] = of
	}
}

// apply changes settings by the flags.
func (f *settingsFlags) apply(s *keys.Settings, limits []stakeLimit) {
	if f.rounding != "" {
		s.Rounding = f.rounding
	}
	if f.requests > 0 {
		s.RequestsPerSecond = f.requests
	}
	for _, limit := range limits {
		limit.apply(s)
	}
}

func (app *app) settingsOf(s keys.Settings) []byte {
	printer := pretty.Printer{Colour: app.colour("auto")}
	list := pretty.NewList("")
	list.Row(printer.Cell("rounding", pretty.Dim), cellOf(printer, s.Rounding))
	list.Row(printer.Cell("requests a second", pretty.Dim), cellOf(printer, fmt.Sprint(s.RequestsPerSecond)))
	list.Row(printer.Cell("least stake", pretty.Dim), cellOf(printer, amountsOf(s.MinStake)))
	list.Row(printer.Cell("largest stake", pretty.Dim), cellOf(printer, amountsOf(s.MaxStake)))
	for _, game := range slices.Sorted(maps.Keys(s.Games)) {
		of := s.Games[game]
		if len(of.MinStake) > 0 {
			list.Row(printer.Cell("least on "+game, pretty.Dim), cellOf(printer, amountsOf(of.MinStake)))
		}
		if len(of.MaxStake) > 0 {
			list.Row(printer.Cell("largest on "+game, pretty.Dim), cellOf(printer, amountsOf(of.MaxStake)))
		}
	}
	return list.AppendTo(nil)
}

// amountsOf are amounts by currency in words.
func amountsOf(amounts map[string]string) string {
	var texts []string
	for _, currency := range slices.Sorted(maps.Keys(amounts)) {
		texts = append(texts, amounts[currency]+" "+currency)
	}
	if texts == nil {
		return "none"
	}
	return strings.Join(texts, ", ")
}
