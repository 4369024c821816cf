package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/witnesstest"
	"tally/lib/archive/tiles"
	"tally/lib/archive/witness"
	"tally/lib/bookmaker/api"
	"tally/lib/bookmaker/keys"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
)

// serveAPI serves the API of a sample, and returns its address with a bookmaker's
// key.
func serveAPI(t *testing.T, s *archivetest.Sample, bookmaker string) (address, key string) {
	t.Helper()
	now := func() settlement.Instant { return 1_800_000_000_000 }
	handler, err := api.New(api.Options{Table: s.Table, Now: now, Record: unmeasured{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	known := &keys.Registry{Table: s.Table, Now: now}
	key, _, err = known.Create(t.Context(), keys.KeyParams{Bookmaker: bookmaker, Scopes: []string{keys.FeedRead}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := known.Set(t.Context(), bookmaker, func(k *keys.Settings) { k.RequestsPerSecond = 10_000 }); err != nil {
		t.Fatal(err)
	}
	return server.URL, key
}

// cosigned returns a log that two witnesses have cosigned, and the keys of three.
func cosigned(t *testing.T) (folder string, public []string) {
	t.Helper()
	s := archivetest.New(t)
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	var servers []*witnesstest.Server
	s.Log.Witnesses = &witness.Client{Timeout: time.Minute, Record: unmeasured{}, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	for _, name := range []string{"witness.example/w1", "witness.example/w2", "witness.example/w3"} {
		server := witnesstest.New(t, name, verifier)
		servers, public = append(servers, server), append(public, server.Public)
	}
	for _, server := range servers[:2] {
		s.Log.Witnesses.Witnesses = append(s.Log.Witnesses.Witnesses, server.Witness)
	}
	s.Log.Witnesses.HTTP = witnesstest.Client(servers...)
	game, _ := games.Find("war")
	s.Play(game)
	s.ArchiveAll()
	return s.Copy(), public
}

func (unmeasured) Witness(string, witness.Outcome) {}

// rotated returns a log as it was while its key was being replaced, as it was
// afterwards, and the new public key.
func rotated(t *testing.T) (during, after, public string) {
	t.Helper()
	s := archivetest.New(t)
	secret, public, err := note.GenerateKey(nil, archivetest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	old, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	play := func(id string) string {
		game, _ := games.Find(id)
		s.Play(game)
		s.ArchiveAll()
		return s.Copy()
	}
	s.Log.Signers, s.Log.Known = []note.Signer{signer, s.Log.Signers[0]}, note.VerifierList(verifier, old)
	during = play("war")
	s.Log.Signers, s.Log.Known = s.Log.Signers[:1], note.VerifierList(verifier)
	return during, play("dice"), public
}

// siteOf returns a public site, with the log and the results of one draw.
func siteOf(t *testing.T, s *archivetest.Sample) string {
	t.Helper()
	site := t.TempDir()
	archivetest.WriteFiles(t, filepath.Join(site, "log"), s.Files.Files())
	const draw = "war-1.20261130.0512"
	var entries []string
	list, err := tiles.Entries(s.Files.Files()[tiles.EntriesPath(0, 150)].Data, 150)
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range list {
		if bytes.Contains(data, []byte(draw)) {
			entries = append(entries, fmt.Sprintf(`{"index":%d,"entry":%s}`, i, data))
		}
	}
	for path, text := range map[string]string{
		"results/draws/" + draw + ".json":          `{"schema":1,"draw":"` + draw + `","game":"war","day":"2026-11-30","opening":0}`,
		"results/war/2026-11-30/" + draw + ".json": `{"schema":1,"row":{"draw":"` + draw + `"},"entries":[` + strings.Join(entries, ",") + `]}`,
		// Of this one the site has no results yet.
		"results/draws/pok-1.20261130.0042.json": `{"schema":1,"draw":"pok-1.20261130.0042","game":"poker","day":"2026-11-30","opening":0}`,
	} {
		t.Run(path, func(t *testing.T) {
			path = filepath.Join(site, filepath.FromSlash(path))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		})
	}
	return site
}
