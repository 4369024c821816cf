package functions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive"
	"tally/lib/archive/objects"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/signing"
	"tally/lib/archive/witness"
	"tally/lib/draw/wire"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
)

// ArchiveConfig is the configuration of archive.
type ArchiveConfig struct {
	Common
	ArchiveURL string `env:"TALLY_ARCHIVE_URL" doc:"URL of the queue archive-entries"`
	Origin     string `env:"TALLY_LOG_ORIGIN" doc:"name of the log, such as example.com/tally"`
	Bucket     string `env:"TALLY_LOG_BUCKET" doc:"S3 bucket of the log, or file: and a folder"`
	Key        string `env:"TALLY_LOG_KEY" doc:"KMS key that signs the log, or file: and a file"`
	OldKey     string `env:"TALLY_LOG_OLD_KEY" doc:"key that Key replaces and that still signs too, or nothing" default:""`
	ShowTotals bool   `env:"TALLY_LOG_TOTALS" doc:"whether the log shows the totals of a draw" default:"true"`
	Witnesses  string `env:"TALLY_LOG_WITNESSES" doc:"witnesses of the log: each a verifier key, a space and a URL, with commas between them" default:""`
	// Publishing waits so long, and no longer, for all of them together.
	WitnessWait time.Duration `env:"TALLY_LOG_WITNESS_WAIT" doc:"time for which a checkpoint waits for the cosignatures of witnesses" default:"2s" min:"100ms" max:"20s"`
}

// archiveConcurrency is how many messages of a batch are worked on at once. They
// share the log's batches.
const archiveConcurrency = 10

// inFile begins the name of what is on this machine rather than in AWS.
const inFile = "file:"

// PublicKeyPath is where the log's public keys are published, one a line. Auditors
// get them elsewhere, too: a log can't vouch for its own key.
const PublicKeyPath = "verifier-key"

// NewArchive puts archive together. The log is opened for the first message: that
// asks KMS for the key.
func NewArchive(c ArchiveConfig, r Runtime) (QueueHandler, error) {
	if strings.Contains(c.Origin, "#") {
		return nil, fmt.Errorf("putting archive together: TALLY_LOG_ORIGIN is %q: a log's name has no #", c.Origin)
	}
	witnesses, err := witness.Parse(c.Witnesses)
	if err != nil {
		return nil, fmt.Errorf("putting archive together: TALLY_LOG_WITNESSES: %w", err)
	}
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "archive", r.Now)
	opened := &opener{config: c, runtime: r, record: recorder{measured}, witnesses: witnesses}
	handler, err := r.queueHandler(func(ctx context.Context, m sqsbatch.Message) error {
		told, err := wire.ParseEntry(m.Body)
		if err != nil {
			return err
		}
		a, err := opened.get(ctx)
		if err != nil {
			return err
		}
		return a.Take(ctx, told)
	}, measured, client, sqsbatch.Options{Concurrency: archiveConcurrency}, c.ArchiveURL)
	if err != nil {
		return nil, fmt.Errorf("putting archive together: %w", err)
	}
	return handler, nil
}

// opener opens the log once. Where that fails, the next message tries again.
type opener struct {
	config    ArchiveConfig
	runtime   Runtime
	record    recorder
	witnesses []witness.Witness

	mutex  sync.Mutex
	opened *archive.Archive
}

func (o *opener) get(ctx context.Context) (*archive.Archive, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.opened != nil {
		return o.opened, nil
	}
	log, err := o.config.log(ctx, o.runtime)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if len(o.witnesses) > 0 {
		log.Witnesses = &witness.Asker{Witnesses: o.witnesses, Within: o.config.WitnessWait, Record: o.record, Log: o.runtime.Log, Now: o.runtime.Now}
	}
	o.opened = &archive.Archive{Table: log.Table, To: &sequencer.Batcher{Log: log}, ShowTotals: o.config.ShowTotals, Random: rand.Reader,
		Record: o.record, Log: o.runtime.Log}
	return o.opened, nil
}

// log opens the log, and publishes its public keys.
func (c ArchiveConfig) log(ctx context.Context, r Runtime) (*sequencer.Log, error) {
	log := &sequencer.Log{Origin: c.Origin, Table: r.table(c.Common), Log: r.Log}
	keys, err := logKeys(ctx, r, c.Origin, c.Key, c.OldKey)
	if err != nil {
		return nil, err
	}
	var public string
	for _, key := range keys {
		log.Signers = append(log.Signers, key.Signer)
		public += key.Public + "\n"
	}
	log.Known = verifiers(keys)
	if log.Objects, err = logObjects(r, c.Bucket); err != nil {
		return nil, err
	}
	return log, publishKeys(ctx, log.Objects, []byte(public))
}

// logKeys returns the keys of a log: that which signs it, and the one before it
// where it still signs, too.
func logKeys(ctx context.Context, r Runtime, origin string, names ...string) (keys []signing.Key, err error) {
	for _, name := range names {
		if name == "" {
			continue
		}
		var key signing.Key
		if path, isFile := strings.CutPrefix(name, inFile); isFile {
			key, err = signing.FromFile(path, origin)
		} else {
			key, err = signing.FromKMS(ctx, kms.NewFromConfig(r.AWS), name, origin)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func verifiers(keys []signing.Key) note.Verifiers {
	list := make([]note.Verifier, len(keys))
	for i, key := range keys {
		list[i] = key.Verifier
	}
	return note.VerifierList(list...)
}

// logObjects opens the files of a log: a bucket, or file: and a folder.
func logObjects(r Runtime, bucket string) (objects.Store, error) {
	if folder, isFolder := strings.CutPrefix(bucket, inFile); isFolder {
		return objects.OpenFolder(folder)
	}
	client := s3.NewFromConfig(r.AWS, func(o *s3.Options) { o.UsePathStyle = r.AWS.BaseEndpoint != nil })
	return objects.NewS3(client, bucket), nil
}

// publishKeys writes the public keys beside the log, if they are not there yet.
func publishKeys(ctx context.Context, store objects.Store, public []byte) error {
	there, tag, err := store.Get(ctx, PublicKeyPath)
	if err != nil && !errors.Is(err, objects.ErrNotFound) {
		return err
	}
	if string(there) == string(public) {
		return nil
	}
	err = store.PutIfMatch(ctx, PublicKeyPath, public, tag, objects.Header{ContentType: "text/plain; charset=utf-8", CacheControl: objects.Mutable})
	if errors.Is(err, objects.ErrChanged) {
		return nil // another instance has just written them
	}
	return err
}
