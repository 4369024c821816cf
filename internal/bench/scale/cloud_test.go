package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"tally"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/tiles"
	"tally/lib/local/samtemplate"
	"tally/lib/store"
)

const (
	region    = "us-east-1"
	accountID = "000000000000"
)

// cloud is the stack of template.yaml on models of AWS.
type cloud struct {
	stack     *samtemplate.ResolvedStack
	chance    *chance
	table     *table
	db        *fakedynamo.DB
	queues    map[string]*queue // by URL
	functions map[string]*function
	sources   []*source
	account   account
	files     files
	key       ed25519.PrivateKey
}

// settings are what is set beside the template's defaults.
type settings struct {
	parameters map[string]string
	writeQuota float64 // of the table
	readQuota  float64
	account    int // concurrency
	// What load that is not played uses of the table in a second.
	otherWrites, otherReads float64
	seed                    uint64
}

// newCloud makes the stack of the template.
func newCloud(t testing.TB, s settings) (*cloud, error) {
	c := &cloud{chance: newChance(s.seed), queues: map[string]*queue{}, functions: map[string]*function{}}
	c.account.limit = s.account
	c.files.objects = map[string]*object{}
	c.key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	var err error
	c.stack, err = samtemplate.Resolve(tally.Template, samtemplate.Environment{StackName: "tally", Region: region, Account: accountID, Parameters: s.parameters,
		QueueURL: func(name string) string { return "https://sqs.us-east-1.amazonaws.com/" + accountID + "/" + name }})
	if err != nil {
		return nil, err
	}
	described := c.stack.Tables[0]
	c.db = fakedynamo.New(t, described.Name)
	c.table = newTable(c.db, c.chance, float64(described.Warm["WriteUnitsPerSecond"]), float64(described.Warm["ReadUnitsPerSecond"]), s)
	for _, q := range c.stack.Queues {
		if strings.HasSuffix(q.Name, ".fifo") {
			return nil, fmt.Errorf("the queue %s is FIFO, which the model does not know: add its limits", q.Name)
		}
		c.queues[q.URL] = newQueue(q, c)
	}
	for _, spec := range c.stack.Functions {
		f := newFunction(spec, c)
		c.functions[spec.Short] = f
		for _, name := range slices.Sorted(maps.Keys(spec.Events)) {
			event := spec.Events[name]
			if event.Type != samtemplate.EventSQS {
				continue
			}
			q, known := c.stack.Queue(event.Properties.Queue)
			if !known {
				return nil, fmt.Errorf("%s is fed by a queue %s, which is not there", spec.Short, event.Properties.Queue)
			}
			c.sources = append(c.sources, newSource(c.queues[q.URL], f, event))
		}
	}
	return c, nil
}

// queue returns the queue of a logical id.
func (c *cloud) queue(id string) *queue {
	for _, q := range c.queues {
		if q.spec.ID == id {
			return q
		}
	}
	return nil
}

// answer answers a request to AWS.
func (c *cloud) answer(ctx context.Context, work *work, in any) (any, error) {
	chance := c.chance
	if unscheduled[work.of.spec.Short] != "" {
		chance = nil // it takes no time
	}
	switch in := in.(type) {
	case *sqs.SendMessageInput:
		work.of.sent.Add(1)
		return c.send(ctx, in)
	case *sqs.SendMessageBatchInput:
		work.of.sent.Add(1)
		return c.sendAll(ctx, in)
	case *sqs.ChangeMessageVisibilityInput:
		work.of.sent.Add(1)
		return c.changeVisibility(ctx, in)
	case *sqs.GetQueueAttributesInput:
		work.of.sent.Add(1)
		return c.count(ctx, in)
	case *s3.GetObjectInput:
		work.of.gets.Add(1)
		return c.files.get(ctx, chance, in)
	case *s3.PutObjectInput:
		work.of.puts.Add(1)
		return c.files.put(ctx, chance, in)
	case *s3.ListObjectsV2Input:
		work.of.puts.Add(1) // a list costs as a write
		return c.files.list(ctx, chance, in)
	case *s3.DeleteObjectsInput:
		return c.files.delete(ctx, chance, in)
	case *kms.GetPublicKeyInput: // in a cold start, which has its own time
		public, err := x509.MarshalPKIXPublicKey(c.key.Public())
		return &kms.GetPublicKeyOutput{PublicKey: public}, err
	case *kms.SignInput:
		work.of.signs.Add(1)
		if err := wait(ctx, c.chance.about(signMedian, signP99)); err != nil {
			return nil, err
		}
		return &kms.SignOutput{Signature: ed25519.Sign(c.key, in.Message)}, nil
	}
	return c.table.answer(ctx, work, in)
}

func (c *cloud) send(ctx context.Context, in *sqs.SendMessageInput) (any, error) {
	q := c.queues[*in.QueueUrl]
	if q == nil {
		return nil, fmt.Errorf("there is no queue %s", *in.QueueUrl)
	}
	takes := c.chance.about(queueMedian, queueP99)
	if err := wait(ctx, takes/2); err != nil {
		return nil, err
	}
	q.send(*in.MessageBody, time.Duration(in.DelaySeconds)*time.Second)
	return &sqs.SendMessageOutput{}, wait(ctx, takes/2)
}

func (c *cloud) sendAll(ctx context.Context, in *sqs.SendMessageBatchInput) (any, error) {
	q := c.queues[*in.QueueUrl]
	if q == nil {
		return nil, fmt.Errorf("there is no queue %s", *in.QueueUrl)
	}
	takes := c.chance.about(queueMedian, queueP99)
	if err := wait(ctx, takes/2); err != nil {
		return nil, err
	}
	out := &sqs.SendMessageBatchOutput{}
	for _, entry := range in.Entries {
		q.send(*entry.MessageBody, time.Duration(entry.DelaySeconds)*time.Second)
		out.Successful = append(out.Successful, sqstypes.SendMessageBatchResultEntry{Id: entry.Id})
	}
	return out, wait(ctx, takes/2)
}

func (c *cloud) changeVisibility(ctx context.Context, in *sqs.ChangeMessageVisibilityInput) (any, error) {
	q := c.queues[*in.QueueUrl]
	q.mutex.Lock()
	q.back[*in.ReceiptHandle] = time.Duration(in.VisibilityTimeout) * time.Second
	q.mutex.Unlock()
	return &sqs.ChangeMessageVisibilityOutput{}, wait(ctx, c.chance.about(queueMedian, queueP99))
}

func (c *cloud) count(ctx context.Context, in *sqs.GetQueueAttributesInput) (any, error) {
	q := c.queues[*in.QueueUrl]
	q.mutex.Lock()
	attributes := map[string]string{"ApproximateNumberOfMessages": strconv.Itoa(len(q.ready)), "ApproximateNumberOfMessagesDelayed": strconv.Itoa(q.delayed),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(len(q.inFlight))}
	q.mutex.Unlock()
	return &sqs.GetQueueAttributesOutput{Attributes: attributes}, wait(ctx, c.chance.about(queueMedian, queueP99))
}

// files are those of all buckets.
type files struct {
	mutex        sync.Mutex
	objects      map[string]*object
	bytes        int
	second, puts int64
	most         int64 // writes in a second
}

type object struct {
	data []byte
	tag  int
}

func nameOf(bucket, key *string) string { return *bucket + "/" + *key }

// starting reports whether a request is one that an instance makes once, or seldom, while all else waits
// for a mutex: the clock could not go on, so it takes no time of its own. Those of a start are part of the cold start.
func starting(in any) bool {
	switch in := in.(type) {
	case *kms.GetPublicKeyInput:
		return true
	case *dynamodb.GetItemInput: // who may speak for which tables
		return textOf(in.Key[partitionKey]) == store.SendersKey
	case *s3.GetObjectInput:
		return *in.Key == tiles.KeysPath
	case *s3.PutObjectInput:
		return *in.Key == tiles.KeysPath
	}
	return false
}

// takes is how long a request for a file takes: none for the keys, which instances read when they start,
// and for who has no part in what is random.
func takes(chance *chance, name string) time.Duration {
	if chance == nil || strings.HasSuffix(name, "/"+tiles.KeysPath) {
		return 0
	}
	return chance.about(fileMedian, fileP99)
}

func (f *files) get(ctx context.Context, chance *chance, in *s3.GetObjectInput) (any, error) {
	name := nameOf(in.Bucket, in.Key)
	if err := wait(ctx, takes(chance, name)); err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	there := f.objects[name]
	if there == nil {
		return nil, &s3types.NoSuchKey{}
	}
	return &s3.GetObjectOutput{Body: io.NopCloser(bytes.NewReader(there.data)), ETag: aws.String(strconv.Itoa(there.tag))}, nil
}

func (f *files) put(ctx context.Context, chance *chance, in *s3.PutObjectInput) (any, error) {
	data, err := io.ReadAll(in.Body)
	if err != nil {
		return nil, err
	}
	name := nameOf(in.Bucket, in.Key)
	takes := takes(chance, name)
	if err := wait(ctx, takes/2); err != nil {
		return nil, err
	}
	f.mutex.Lock()
	if second := time.Now().Unix(); second != f.second {
		f.second, f.puts = second, 0
	}
	f.puts++
	f.most = max(f.most, f.puts)
	there := f.objects[name]
	failed := in.IfNoneMatch != nil && there != nil || in.IfMatch != nil && (there == nil || strconv.Itoa(there.tag) != *in.IfMatch)
	tag := 1
	if !failed {
		if there != nil {
			tag = there.tag + 1
		}
		f.objects[name] = &object{data: data, tag: tag}
		f.bytes += len(data)
	}
	f.mutex.Unlock()
	if err := wait(ctx, takes/2); err != nil {
		return nil, err
	}
	if failed {
		return nil, &smithy.GenericAPIError{Code: "PreconditionFailed", Message: "At least one of the pre-conditions you specified did not hold"}
	}
	return &s3.PutObjectOutput{ETag: aws.String(strconv.Itoa(tag))}, nil
}

func (f *files) list(ctx context.Context, chance *chance, in *s3.ListObjectsV2Input) (any, error) {
	if err := wait(ctx, takes(chance, *in.Bucket)); err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	out := &s3.ListObjectsV2Output{}
	for name := range f.objects {
		if key, in_ := strings.CutPrefix(name, *in.Bucket+"/"); in_ && strings.HasPrefix(key, aws.ToString(in.Prefix)) {
			out.Contents = append(out.Contents, s3types.Object{Key: &key})
		}
	}
	return out, nil
}

func (f *files) delete(ctx context.Context, chance *chance, in *s3.DeleteObjectsInput) (any, error) {
	if err := wait(ctx, takes(chance, *in.Bucket)); err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, each := range in.Delete.Objects {
		delete(f.objects, nameOf(in.Bucket, each.Key))
	}
	return &s3.DeleteObjectsOutput{}, nil
}

// mark begins to look for what is used most at once.
func (c *cloud) mark(g *gateway) {
	c.account.mutex.Lock()
	c.account.most = c.account.busy
	c.account.mutex.Unlock()
	for _, f := range c.functions {
		f.mutex.Lock()
		f.most, f.measured = f.busy, f.billed
		f.mutex.Unlock()
	}
	for _, s := range c.sources {
		s.mutex.Lock()
		s.most = s.busy
		s.mutex.Unlock()
	}
	g.mutex.Lock()
	g.most, g.refused, g.all = 0, 0, 0
	g.mutex.Unlock()
}
