package functions_test

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
)

// pagesOf puts pages together over the buckets of a log and a site.
func pagesOf(t *testing.T, d *day, log, site, key string, measured *bytes.Buffer) (runtime.ScheduledHandler, *calls) {
	t.Helper()
	noted := &calls{made: make(map[string]bool)}
	given := runtimeAt(t, time.Now)
	given.AWS, given.Metrics = noted.watch(local.Config(d.stack.Endpoint)), measured
	made, err := functions.New("pages", lookup(map[string]string{
		"TALLY_LOG_ORIGIN": "example.com/tally", "TALLY_LOG_BUCKET": log, "TALLY_LOG_KEY": "file:" + key, "TALLY_PAGES_BUCKET": site,
	}), given)
	if err != nil {
		t.Fatal(err)
	}
	return made.(runtime.ScheduledHandler), noted
}

// TestPagesInBuckets makes the site as on AWS, but for the key: it reads the log's
// bucket and never writes to it.
func TestPagesInBuckets(t *testing.T) {
	d := newDay(t)
	d.playCorrected()
	client := s3.NewFromConfig(local.Config(d.stack.Endpoint), func(o *s3.Options) { o.UsePathStyle = true })
	log, site := d.stack.Table+"-log", d.stack.Table+"-site"
	for _, bucket := range []string{log, site} {
		if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(bucket)}); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(t.TempDir(), "key")
	var measured bytes.Buffer
	pages, noted := pagesOf(t, d, log, site, key, &measured)
	if err := pages(t.Context()); err != nil { // the log is empty
		t.Fatal(err)
	}
	archive := archiveWith(t, d, log, key, "")
	d.archiveAndVerify(archive, s3store.New(client, log))
	if err := pages(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := s3store.New(client, site)
	for _, path := range []string{"index.html", "uk/roulette/index.html", "results/draws/" + archivedDraw + ".json", "results/roulette/2026-11-30/" + archivedDraw + ".2.tlog-proof"} {
		t.Run(path, func(t *testing.T) {
			if _, _, err := made.Get(t.Context(), path); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	want := []string{"s3:GetObject on " + log, "s3:GetObject on " + site, "s3:PutObject on " + site}
	if got := slices.Sorted(maps.Keys(noted.made)); !slices.Equal(got, want) {
		t.Errorf("pages calls %q, want %q", got, want)
	}
	if !strings.Contains(measured.String(), `"pages_lag":0`) || strings.Contains(measured.String(), "failures") {
		t.Errorf("the metrics are %s", measured.String())
	}
}

// TestPagesFail says that the site does not follow, as an error and in the metrics,
// when the log is that of another key.
func TestPagesFail(t *testing.T) {
	d := newDay(t)
	d.playCorrected()
	folder := t.TempDir()
	files, err := objects.OpenFolder(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	d.archiveAndVerify(archiveWith(t, d, "file:"+filepath.Join(folder, "log"), filepath.Join(folder, "key"), ""), files)
	if err := files.Close(); err != nil {
		t.Error(err)
	}
	var measured bytes.Buffer
	stranger, _ := pagesOf(t, d, "file:"+filepath.Join(folder, "log"), "file:"+filepath.Join(folder, "site"), filepath.Join(folder, "other.key"), &measured)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := stranger(ctx); err == nil || !strings.Contains(measured.String(), `"failures":1`) || strings.Contains(measured.String(), "pages_lag") {
		t.Errorf("%v; the metrics are %s", err, measured.String())
	}
}
