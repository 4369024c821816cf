package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/bookmaker/client"
	"tally/lib/rulebook/games"
)

// TestArchiveScripts runs the commands that read a log on a sample of one, and on
// what was made of it by tampering.
func TestArchiveScripts(t *testing.T) {
	s := archivetest.PlayAll(t)
	vars := []string{"LOG=" + s.Copy(), "KEY=" + s.VerifierKey, "KEYFILE=" + writeFile(t, "key", []byte(s.VerifierKey+"\n")),
		"OTHERKEY=" + otherKey(t), "OLDER=" + part(t, 0, 1), "FORK=" + part(t, 1, 10, 0, 1), "TAMPERED=" + tampered(t, s), "WRONG=" + wrongResult(t, s)}
	disclosure, lines := reportOf(t, s, "war-1.20261130.0512", 1, "acme")
	_, some, _ := bytes.Cut(lines, []byte("\n"))
	folder, keys := cosigned(t)
	vars = append(vars, "COSIGNED="+folder, "WITNESS="+keys[0], "WITNESSFILE="+writeFile(t, "witness", []byte(keys[1]+"\n")), "OTHERWITNESS="+keys[2], "SITE="+siteOf(t, s))
	during, after, public := rotated(t)
	vars = append(vars, "ROTATING="+during, "ROTATED="+after, "NEWKEY="+public)
	address, key := serveAPI(t, s, "acme")
	vars = append(vars, "API="+address, "TALLY_API_KEY="+key, "APIKEYFILE="+writeFile(t, "api-key", []byte(key+"\n")))
	vars = append(vars, "DISCLOSURE="+writeFile(t, "disclosure.json", disclosure), "LINES="+writeFile(t, "lines.jsonl", lines), "SOMELINES="+writeFile(t, "some.jsonl", append(some, lines...)))
	vars = append(vars, "UNSETTLED="+unsettled(t, s), "BARE="+bareProofs(t, s), "BESIDE="+besideFiles(t, s), "PIPE="+piped(t))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/archive",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, vars...)
			return nil
		},
	})
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func otherKey(t *testing.T) string {
	t.Helper()
	_, public, err := note.GenerateKey(nil, archivetest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// part returns a log of some games: those from one place up to another, and so on.
func part(t *testing.T, ranges ...int) string {
	t.Helper()
	s := archivetest.New(t)
	for i := 0; i < len(ranges); i += 2 {
		for _, game := range games.All()[ranges[i]:ranges[i+1]] {
			s.Play(game)
			s.ArchiveAll()
		}
	}
	return s.Copy()
}

// tampered returns a copy of the log with a flipped bit in its first entry.
func tampered(t *testing.T, s *archivetest.Sample) string {
	t.Helper()
	files := s.Files.Files()
	path := tiles.EntriesPath(0, 150)
	file := files[path]
	file.Data = bytes.Replace(file.Data, []byte(`"sequence":4`), []byte(`"sequence":5`), 1)
	files[path] = file
	return copyOf(t, files)
}

func copyOf(t *testing.T, files map[string]fakeobjects.Object) string {
	t.Helper()
	folder := t.TempDir()
	archivetest.WriteFiles(t, folder, files)
	return folder
}

// wrongResult returns a log that is right but for a result.
func wrongResult(t *testing.T, s *archivetest.Sample) string {
	t.Helper()
	list, err := tiles.Entries(s.Files.Files()[tiles.EntriesPath(0, 150)].Data, 150)
	if err != nil {
		t.Fatal(err)
	}
	var leaves []sequencer.Leaf
	for i, data := range list {
		data = bytes.Replace(data, []byte(`"winner":"dealer"`), []byte(`"winner":"player"`), 1)
		leaves = append(leaves, sequencer.Leaf{Group: "all", Key: string(rune('a' + i)), Data: data})
	}
	other := archivetest.New(t)
	if _, err := other.Log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	return other.Copy()
}

// reportOf returns what the API tells a bookmaker of a settlement: its disclosure,
// and the lines of its report.
func reportOf(t *testing.T, s *archivetest.Sample, draw string, state int, bookmaker string) (disclosure, lines []byte) {
	t.Helper()
	c, err := client.New(serveAPI(t, s, bookmaker))
	if err != nil {
		t.Fatal(err)
	}
	for report, err := range c.Reports(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if report.Draw != draw || report.State != state {
			continue
		}
		if lines, err = report.Text(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d, err := c.Disclosure(t.Context(), draw, state)
	if err != nil {
		t.Fatal(err)
	}
	if disclosure, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	return disclosure, lines
}

// unmeasured measures nothing.
type unmeasured struct{}

func (unmeasured) Accepted(string)        {}
func (unmeasured) Unlooked(string)        {}
func (unmeasured) Refused(string, string) {}
func (unmeasured) Denied(string)          {}
func (unmeasured) Failed(string)          {}

// TestVerifyBucket verifies a log in an emulated bucket.
func TestVerifyBucket(t *testing.T) {
	s := archivetest.PlayAll(t)
	db := dynamotest.Kumo(t)
	client := s3.NewFromConfig(db.Config(), func(o *s3.Options) { o.UsePathStyle = true })
	bucket := db.Prefix + "log"
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	for key, file := range s.Files.Files() {
		if err := s3store.New(client, bucket).PutIfAbsent(t.Context(), key, file.Data, file.Header); err != nil {
			t.Fatal(err)
		}
	}
	verified := exec.Command("tally", "verify", "s3://"+bucket, "--key", s.VerifierKey, "--state", "none")
	verified.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+db.Endpoint(), "AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")
	out, err := verified.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("150 entries")) {
		t.Errorf("%v: %s, want no error and []byte(\"150 entries\") in it", err, out)
	}
}
