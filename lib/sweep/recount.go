package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tally/lib/rules"
	"tally/lib/store"
)

// Stragglers are the references of a bookmaker's bets that no report names.
type Stragglers struct {
	Bookmaker  string
	References []string // at most maxStragglers; the next recount finds the rest
}

const maxStragglers = 100

// Standing is how far a draw's newest state has come.
type Standing struct {
	Swept   bool   // the newest state is swept
	State   int    // the newest state; 0 for none
	Stopped string // why its sweep can't go on
	Held    bool   // a message of the draw sits in quarantine
}

// Standing returns how far a draw has come.
func (s *Sweeper) Standing(ctx context.Context, id string) (Standing, error) {
	r, err := load(ctx, s.Table, id)
	if err != nil {
		return Standing{}, err
	}
	now, _, err := r.status()
	if err != nil || r.head == nil {
		return Standing{}, err
	}
	standing := Standing{State: r.head.State, Stopped: now.Stopped, Swept: now.State == 0 && now.Base == r.head.State}
	for sk := range r.items {
		standing.Held = standing.Held || len(sk) > len(heldPrefix) && sk[:len(heldPrefix)] == heldPrefix
	}
	return standing, nil
}

var heldPrefix = store.HeldKey("")

// Recount reads all bets of a swept draw again and compares what they come to
// with what was reported. Bets that were written after the sweep had read them
// all are returned; any other difference is an *UnequalError.
func (s *Sweeper) Recount(ctx context.Context, id string) ([]Stragglers, error) {
	r, err := load(ctx, s.Table, id)
	if err != nil {
		return nil, err
	}
	now, _, err := r.status()
	if err != nil || r.head == nil || now.State != 0 || now.Base == 0 {
		return nil, err
	}
	state, _, err := r.state(now.Base)
	if err != nil {
		return nil, err
	}
	var missed []Stragglers
	for _, bookmaker := range r.bookmakers() {
		for shard := range r.head.Shards {
			p := &partition{table: s.Table, records: r, bookmaker: bookmaker, shard: shard, next: state, selections: map[string]rules.Selection{}}
			references, err := p.recount(ctx, now.Base)
			if err != nil {
				return nil, fmt.Errorf("recounting draw %s: %w", id, err)
			}
			if len(references) > 0 {
				missed = append(missed, Stragglers{bookmaker, references})
			}
		}
	}
	return missed, nil
}

// recount returns the partition's stragglers.
func (p *partition) recount(ctx context.Context, state int) ([]string, error) {
	done, err := p.records.done(state, p.bookmaker, p.shard)
	if err != nil {
		return nil, err
	}
	if done == nil {
		done = &Done{Digest: newDigest().String()} // it was not in the plan
	}
	p.progress = progress{Digest: newDigest(), Base: newDigest()}
	var references []string
	for g, err := range p.groups(p.table.Bets(ctx, store.BetsKey(p.records.draw, p.bookmaker, p.shard), "")) {
		if err != nil {
			return nil, err
		}
		if err := p.settleGroup(g); err != nil {
			return nil, err
		}
		p.lines, p.count = p.lines[:0], 0 // nothing is reported here
		if len(g.bets) > 0 {
			references = append(references, g.reference)
		}
	}
	if p.progress.Digest.String() == done.Digest {
		return nil, nil
	}
	if p.progress.Bets == done.Bets {
		return nil, &UnequalError{fmt.Sprintf("%s shard %d: state %d counted again differs in the same number of bets", p.bookmaker, p.shard, state)}
	}
	reported, err := p.reported(ctx, state)
	if err != nil {
		return nil, err
	}
	missed := slices.DeleteFunc(references, func(reference string) bool { return reported[reference] })
	if len(missed) == 0 {
		return nil, &UnequalError{fmt.Sprintf("%s shard %d: state %d counted again has %d bets, %d were settled", p.bookmaker, p.shard, state, p.progress.Bets, done.Bets)}
	}
	return missed[:min(len(missed), maxStragglers)], nil
}

// reported returns the references that any report of the partition up to a
// state names.
func (p *partition) reported(ctx context.Context, upTo int) (map[string]bool, error) {
	references := map[string]bool{}
	for state := 1; state <= upTo; state++ {
		pk := store.ReportKey(p.records.draw, state, p.bookmaker, p.shard)
		for page, err := range p.table.Query(ctx, pk, "") {
			if err != nil {
				return nil, err
			}
			lines, err := Inflate(page.Binary)
			if err != nil {
				return nil, err
			}
			for line := range bytes.Lines(lines) {
				var named struct {
					Bet string `json:"bet"`
				}
				if err := json.Unmarshal(line, &named); err != nil {
					return nil, fmt.Errorf("reading page %s / %s: %w", page.PK, page.SK, err)
				}
				references[named.Bet] = true
			}
		}
	}
	return references, nil
}
