package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tally/lib/keys"
	"tally/lib/pretty"
)

// settingsFlags are what `tally keys settings` sets.
type settingsFlags struct {
	rounding string
	maxStake []string
	requests int
}

func (app *app) newKeySettingsCommand(flags *keysFlags) *cobra.Command {
	command := app.keysCommand(flags, "settings bookmaker", "show or set a bookmaker's rounding and limits",
		`settings shows what holds for a bookmaker; with flags it sets that first. A
change holds within 30 seconds. A bet keeps the rounding that it was placed with.`, app.keysSettings)
	command.Flags().Var(&choice{&flags.rounding, []string{"half_up", "half_even", "down"}}, "rounding", "`how` payouts are rounded")
	command.Flags().StringArrayVar(&flags.maxStake, "max-stake", nil, "largest stake of a bet in a currency, such as EUR=1000.00; EUR= for no\nlimit; may be given more than once: `currency=amount`")
	command.Flags().Var(&whole{&flags.requests, 1, 100_000}, "requests", "so `many` requests in a second, of each instance of the API")
	command.Flags().Lookup("requests").DefValue = ""
	return command
}

func (app *app) keysSettings(ctx context.Context, store *keys.Store, flags *keysFlags, args []string) error {
	limits := map[string]string{}
	for _, pair := range flags.maxStake {
		currency, amount, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--max-stake is %q: write currency=amount, such as EUR=1000.00", pair)
		}
		limits[currency] = amount
	}
	settings, err := store.Settings(ctx, args[0])
	changes := flags.rounding != "" || len(limits) > 0 || flags.requests > 0
	if err == nil && changes {
		settings, err = store.Set(ctx, args[0], func(s *keys.Settings) { flags.settingsFlags.apply(s, limits) })
	}
	if misuse := (*keys.SpecError)(nil); errors.As(err, &misuse) {
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

// apply changes settings by the flags.
func (f *settingsFlags) apply(s *keys.Settings, limits map[string]string) {
	if f.rounding != "" {
		s.Rounding = f.rounding
	}
	if f.requests > 0 {
		s.RequestsPerSecond = f.requests
	}
	for currency, amount := range limits {
		if s.MaxStake == nil {
			s.MaxStake = map[string]string{}
		}
		if s.MaxStake[currency] = amount; amount == "" {
			delete(s.MaxStake, currency)
		}
	}
}

func (app *app) settingsOf(s keys.Settings) []byte {
	pen := pretty.Pen{Colour: app.colour("auto")}
	list := pretty.NewList("")
	list.Row(pen.Cell("rounding", pretty.Dim), cellOf(pen, s.Rounding))
	list.Row(pen.Cell("requests a second", pretty.Dim), cellOf(pen, fmt.Sprint(s.RequestsPerSecond)))
	limits := "none"
	if len(s.MaxStake) > 0 {
		var texts []string
		for _, currency := range slices.Sorted(maps.Keys(s.MaxStake)) {
			texts = append(texts, s.MaxStake[currency]+" "+currency)
		}
		limits = strings.Join(texts, ", ")
	}
	list.Row(pen.Cell("largest stake", pretty.Dim), cellOf(pen, limits))
	return list.AppendTo(nil)
}
