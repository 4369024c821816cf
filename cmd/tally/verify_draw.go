package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"tally/lib/archive/verify"
	"tally/lib/draw/ids"
)

// results is what is read of the results of a draw on the public site. They are not
// trusted: they say where to look.
type results struct {
	Row struct {
		Draw string `json:"draw"`
	} `json:"row"`
	Entries []struct {
		Index int64 `json:"index"`
	} `json:"entries"`
}

func parseResults(text []byte) (draw string, named []int64, err error) {
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return "", nil, err
	}
	for _, e := range r.Entries {
		named = append(named, e.Index)
	}
	if r.Row.Draw == "" || len(named) == 0 {
		return "", nil, errors.New("they name no draw and no entries")
	}
	return r.Row.Draw, named, nil
}

// find returns the draw that --draw names, and the indexes of its entries where
// results of it are found.
func (f *verifyFlags) find(ctx context.Context, log string) (draw string, named []int64, err error) {
	if strings.HasSuffix(f.draw, ".json") {
		folder, name := filepath.Split(f.draw)
		if isURL(f.draw) {
			folder, name = path.Split(f.draw)
		}
		source, err := verify.Open(orHere(folder))
		if err != nil {
			return "", nil, err
		}
		text, err := source.Get(ctx, name)
		if err != nil {
			return "", nil, fmt.Errorf("reading the results %s: %w", f.draw, err)
		}
		if draw, named, err = parseResults(text); err != nil {
			return "", nil, fmt.Errorf("reading the results %s: %w", f.draw, err)
		}
		return draw, named, nil
	}
	if !ids.Valid(f.draw) {
		return "", nil, fmt.Errorf("%.100q is no draw, and no .json file of its results", f.draw)
	}
	return f.draw, f.beside(ctx, log), nil
}

func isURL(place string) bool {
	return strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://")
}

func orHere(folder string) string {
	if folder == "" {
		return "."
	}
	return folder
}

// place says where the site has the results of a draw.
type place struct {
	Draw string `json:"draw"`
	Game string `json:"game"`
	Day  string `json:"day"`
}

// beside looks for results of the draw on the site. None is no fault: the log says
// the same.
func (f *verifyFlags) beside(ctx context.Context, log string) []int64 {
	site := f.site
	if above, isLog := strings.CutSuffix(strings.TrimSuffix(log, "/"), "/log"); site == "" && isLog && !strings.HasPrefix(log, inBucketOf) {
		site = above
	}
	if site == "" || site == noSite {
		return nil
	}
	source, err := verify.Open(site)
	if err != nil {
		return nil
	}
	text, err := source.Get(ctx, "results/draws/"+f.draw+".json")
	if err != nil {
		return nil
	}
	var at place
	if json.Unmarshal(text, &at) != nil || at.Draw != f.draw || !ids.Valid(at.Game) || !ids.Valid(at.Day) {
		return nil
	}
	if text, err = source.Get(ctx, "results/"+at.Game+"/"+at.Day+"/"+f.draw+".json"); err != nil {
		return nil
	}
	draw, named, err := parseResults(text)
	if err != nil || draw != f.draw {
		return nil
	}
	return named
}

// noSite is the value of --site for reading the log rather than results.
const noSite = "none"
