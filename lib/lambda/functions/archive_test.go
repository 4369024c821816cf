package functions_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/witnesstest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/signing"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
)

const archivedDraw = "rou-1.20261130.1001"

// archiveOf puts archive together over a day's stack.
func archiveOf(t *testing.T, d *day, bucket string) runtime.QueueHandler {
	t.Helper()
	return archiveWith(t, d, bucket, filepath.Join(t.TempDir(), "key"), "")
}

func archiveWith(t *testing.T, d *day, bucket, key, witnesses string) runtime.QueueHandler {
	t.Helper()
	given := runtimeAt(t, time.Now)
	given.AWS = local.Config(d.stack.Endpoint)
	made, err := functions.New("archive", lookup(map[string]string{
		"TALLY_TABLE": d.stack.Table, "TALLY_ARCHIVE_URL": variables(t, d.stack, "intake")["TALLY_ARCHIVE_URL"],
		"TALLY_LOG_ORIGIN": "example.com/tally", "TALLY_LOG_BUCKET": bucket, "TALLY_LOG_KEY": "file:" + key, "TALLY_LOG_WITNESSES": witnesses, "TALLY_LOG_WITNESS_WAIT": "20s",
	}), given)
	if err != nil {
		t.Fatal(err)
	}
	return made.(runtime.QueueHandler)
}

// playCorrected plays a draw up to the settlement of its correction.
func (d *day) playCorrected() {
	d.t.Helper()
	for i, file := range d.files("roulette")[:5] {
		d.handle(file)
		if i == 1 {
			d.clock = d.clock.Add(10 * time.Second)
			d.bet(archivedDraw, "acme", "b1")
		}
		if i >= 3 {
			d.clock = d.clock.Add(15 * time.Second)
			if d.run(archivedDraw) != 0 {
				d.t.Error("the run failed")
			}
		}
	}
}

// source reads what an object store has, to be verified.
type source struct{ objects.Store }

func (s source) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := s.Store.Get(ctx, path)
	if errors.Is(err, objects.ErrNotFound) {
		err = verify.ErrMissing
	}
	return data, err
}

// TestArchiveToFolder archives a draw as `tally local` does.
func TestArchiveToFolder(t *testing.T) {
	d := newDay(t)
	d.playCorrected()
	folder := t.TempDir()
	handle := archiveOf(t, d, "file:"+folder)
	files, err := objects.OpenFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	d.archiveAndVerify(handle, files)
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}

// waiting counts the messages to the archive that wait.
func (d *day) waiting() string {
	d.t.Helper()
	out, err := sqs.NewFromConfig(local.Config(d.stack.Endpoint)).GetQueueAttributes(d.t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl:       aws.String(variables(d.t, d.stack, "look")["TALLY_ARCHIVE_URL"]),
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameApproximateNumberOfMessages}})
	if err != nil {
		d.t.Fatal(err)
	}
	return out.Attributes["ApproximateNumberOfMessages"]
}

// TestLostEntries loses every message to the archive: look sends the draw again,
// every minute, until the public log has it.
func TestLostEntries(t *testing.T) {
	d := newDay(t)
	d.playCorrected()
	run := func(minutes int) {
		t.Helper()
		for range minutes {
			d.clock = d.clock.Add(time.Minute)
			if err := d.reconcile(t.Context()); err != nil {
				t.Fatal(err)
			}
			d.looks(d.due())
		}
	}
	run(9)
	before := d.waiting()
	run(5) // ten minutes after its settlement it is counted again
	if after := d.waiting(); after == before {
		t.Fatalf("%s messages wait, as before", after)
	}
	from := queue(t, d.stack, "ArchiveEntriesQueue")
	if d.deliver(d.archive, envelope(from, d.clock, `{"draw":"`+archivedDraw+`","what":"settlement","state":2}`)) != 0 {
		t.Error("archive failed")
	}
	run(2)
	before = d.waiting()
	run(5)
	if after := d.waiting(); after != before {
		t.Errorf("%s messages wait, %s before: the log has the draw", after, before)
	}
}

// TestArchiveCosigned archives a draw to a log that has a witness.
func TestArchiveCosigned(t *testing.T) {
	d := newDay(t)
	d.playCorrected()
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "key")
	key, err := signing.FromFile(file, "example.com/tally")
	if err != nil {
		t.Fatal(err)
	}
	witness := witnesstest.New(t, "witness.example/w1", key.Verifier)
	server := httptest.NewServer(witness.Handler())
	defer server.Close()
	files, err := objects.OpenFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	d.archiveAndVerify(archiveWith(t, d, "file:"+folder, file, witness.Public+" "+server.URL), files)
	signed, _, err := files.Get(t.Context(), checkpoint.Path)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := checkpoint.Cosignatures(signed, witness.Key); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v, want no error and len(found) = 1", found, err)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}

// TestArchiveToBucket archives a draw as on AWS, but for the key.
func TestArchiveToBucket(t *testing.T) {
	d := newDay(t)
	d.playCorrected()
	client := s3.NewFromConfig(local.Config(d.stack.Endpoint), func(o *s3.Options) { o.UsePathStyle = true })
	bucket := d.stack.Table + "-log"
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(bucket)}); err != nil {
		t.Fatal(err)
	}
	d.archiveAndVerify(archiveOf(t, d, bucket), s3store.New(client, bucket))
}

func (d *day) archiveAndVerify(handle runtime.QueueHandler, files objects.Store) {
	d.t.Helper()
	from := queue(d.t, d.stack, "ArchiveEntriesQueue")
	notified := func(what string) string { return `{"draw":"` + archivedDraw + `","what":` + what + `}` }
	if d.deliver(handle, envelope(from, d.clock, notified(`"settlement","state":2`), notified(`"opening"`), notified(`"state","state":1`), notified(`"opening"`))) != 0 {
		d.t.Error("archive failed")
	}
	if d.deliver(handle, envelope(from, d.clock, "{", notified(`"state","state":9`), `{"draw":"other","what":"opening"}`)) != 3 {
		d.t.Error("archive took what is not there")
	}
	key, _, err := files.Get(d.t.Context(), tiles.KeysPath)
	if err != nil {
		d.t.Fatal(err)
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		d.t.Fatal(err)
	}
	report, err := verify.Log(d.t.Context(), source{files}, verify.Params{Origin: "example.com/tally", Known: note.VerifierList(verifier)})
	if err != nil || len(report.Findings) > 0 || report.Size != 6 || report.Counts.Settlements != 2 {
		d.t.Errorf("%+v, %v, want no error and len(report.Findings) = 0 and report.Size = 6 and report.Counts.Settlements = 2",
			report, err)
	}
}
