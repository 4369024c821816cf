// Package archive puts the Lambda archive together, which appends to the public log what
// happened in draws. What it does is in lib/archive.
package archive

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	publiclog "tally/lib/archive"
	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/archive/witness"
	"tally/lib/draw/wire"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/logfiles"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/store"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of archive.
type Config struct {
	runtime.Common
	ArchiveURL string `env:"TALLY_ARCHIVE_URL" doc:"URL of the queue archive-entries"`
	Origin     string `env:"TALLY_LOG_ORIGIN" doc:"name of the log, such as example.com/tally"`
	Bucket     string `env:"TALLY_LOG_BUCKET" doc:"S3 bucket of the log, or file: and a folder"`
	Key        string `env:"TALLY_LOG_KEY" doc:"KMS key that signs the log, or file: and a file"`
	OldKey     string `env:"TALLY_LOG_OLD_KEY" doc:"key that Key replaces and that still signs too, or nothing" default:""`
	ShowTotals bool   `env:"TALLY_LOG_TOTALS" doc:"whether the log shows the totals of a draw" default:"true"`
	Witnesses  string `env:"TALLY_LOG_WITNESSES" doc:"witnesses of the log: each a verifier key, a space and a URL, with commas between them" default:""`
	// What the bucket says of files is for those that stay for years.
	LockMode string `env:"TALLY_LOG_LOCK_MODE" doc:"mode in which partial tiles and staged batches are locked, GOVERNANCE or COMPLIANCE, or nothing, for as the bucket says" default:""`
	PartDays int    `env:"TALLY_LOG_PART_DAYS" doc:"days for which partial tiles and staged batches are locked" default:"7" min:"1" max:"3650"`
	// Publishing waits so long, and no longer, for all of them together.
	WitnessWait time.Duration `env:"TALLY_LOG_WITNESS_WAIT" doc:"time for which a checkpoint waits for the cosignatures of witnesses" default:"2s" min:"100ms" max:"20s"`
}

// archiveConcurrency is how many messages of a batch are worked on at once. They
// share the log's batches, each of which waits a moment for more of them: it writes as
// many files with one entry as with a hundred.
const (
	archiveConcurrency = 200
	archiveWindow      = 100 * time.Millisecond
)

// archiveReports is how many bookmakers' reports of a draw are read at once.
const archiveReports = 16

// New puts archive together. The log is opened for the first message: that
// asks KMS for the key.
func New(c Config, r runtime.Runtime) (runtime.QueueHandler, error) {
	if strings.Contains(c.Origin, "#") {
		return nil, fmt.Errorf("putting archive together: TALLY_LOG_ORIGIN is %q: a log's name has no #", c.Origin)
	}
	if c.LockMode != "" && !slices.Contains(types.ObjectLockMode("").Values(), types.ObjectLockMode(c.LockMode)) {
		return nil, fmt.Errorf("putting archive together: TALLY_LOG_LOCK_MODE is %q: write GOVERNANCE or COMPLIANCE, or nothing", c.LockMode)
	}
	witnesses, err := witness.Parse(c.Witnesses)
	if err != nil {
		return nil, fmt.Errorf("putting archive together: TALLY_LOG_WITNESSES: %w", err)
	}
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "archive", r.Now)
	opened := &opener{config: c, runtime: r, record: recorder{measured: measured}, witnesses: witnesses}
	handler, err := sqsbatch.HandleQueues(r, func(ctx context.Context, m sqsbatch.Message) error {
		told, err := wire.ParseAppend(m.Body)
		if err != nil {
			return err
		}
		a, err := opened.get(ctx)
		if err != nil {
			return err
		}
		return answered(a.Handle(ctx, told))
	}, measured, client, sqsbatch.Options{Concurrency: archiveConcurrency}, c.ArchiveURL)
	if err != nil {
		return nil, fmt.Errorf("putting archive together: %w", err)
	}
	return handler, nil
}

// answered gives a message back that has more to do than one of them does.
func answered(err error) error {
	if errors.Is(err, publiclog.ErrMore) {
		return sqsbatch.RetryAfter{Reason: err.Error()}
	}
	return err
}

// opener opens the log once. Where that fails, the next message tries again.
type opener struct {
	config    Config
	runtime   runtime.Runtime
	record    recorder
	witnesses []witness.Witness

	mutex  sync.Mutex
	opened *publiclog.Archive
}

func (o *opener) get(ctx context.Context) (*publiclog.Archive, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.opened != nil {
		return o.opened, nil
	}
	table := dynamo.Table(o.runtime, o.config.Common)
	log, err := o.config.log(ctx, o.runtime, table)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if len(o.witnesses) > 0 {
		log.Witnesses = &witness.Client{Witnesses: o.witnesses, Timeout: o.config.WitnessWait, Record: o.record, Log: o.runtime.Log, Now: o.runtime.Now}
	}
	o.opened = &publiclog.Archive{Table: table, To: &sequencer.Batcher{Log: log, Window: archiveWindow}, ShowTotals: o.config.ShowTotals,
		Random: rand.Reader, Parallel: archiveReports, Record: o.record, Log: o.runtime.Log}
	return o.opened, nil
}

// log opens the log, and publishes its public keys.
func (c Config) log(ctx context.Context, r runtime.Runtime, table *store.Table) (*sequencer.Log, error) {
	log := &sequencer.Log{Origin: c.Origin, Lock: publiclog.TableLock{Table: table, Origin: c.Origin}, Log: r.Log}
	keys, err := logfiles.Keys(ctx, r.AWS, c.Origin, c.Key, c.OldKey)
	if err != nil {
		return nil, err
	}
	var public string
	for _, key := range keys {
		log.Signers = append(log.Signers, key.Signer)
		public += key.Public + "\n"
	}
	log.Known = logfiles.Verifiers(keys)
	passing := s3store.Retention{Mode: types.ObjectLockMode(c.LockMode), For: time.Duration(c.PartDays) * 24 * time.Hour, Now: r.Now}
	if log.Objects, err = logfiles.OpenToAppend(r.AWS, c.Bucket, passing); err != nil {
		return nil, err
	}
	return log, publishKeys(ctx, log.Objects, []byte(public))
}

// publishKeys writes the public keys beside the log, if they are not there yet.
func publishKeys(ctx context.Context, store objects.Store, public []byte) error {
	there, tag, err := store.Get(ctx, tiles.KeysPath)
	if err != nil && !errors.Is(err, objects.ErrNotFound) {
		return err
	}
	if string(there) == string(public) {
		return nil
	}
	err = store.PutIfMatch(ctx, tiles.KeysPath, public, tag, objects.Header{ContentType: "text/plain; charset=utf-8", CacheControl: objects.Mutable})
	if errors.Is(err, objects.ErrChanged) {
		return nil // another instance has just written them
	}
	return err
}

// recorder turns what the log tells into metrics.
type recorder struct{ measured *metrics.Metrics }

var (
	_ publiclog.Recorder      = recorder{}
	_ witness.OutcomeRecorder = recorder{}
)

func (r recorder) Appended(game string, entries int) { r.measured.Add(metrics.Archived, game, entries) }

func (r recorder) Mismatch(game string) {
	r.measured.Add(metrics.Mismatch, cmp.Or(game, metrics.NoGame), 1)
}

func (r recorder) Witness(_ string, outcome witness.Outcome) {
	switch outcome {
	case witness.Cosigned:
	case witness.Contradicted:
		r.measured.Add(metrics.LogFaults, string(outcome), 1)
	default:
		r.measured.Add(metrics.Uncosigned, string(outcome), 1)
	}
}
