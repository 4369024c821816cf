package main

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

// The key attributes of the table.
const (
	partitionKey = "pk"
	sortKey      = "sk"
)

// table is a DynamoDB table with its partitions.
type table struct {
	db      *fakedynamo.DB
	chance  *chance
	retryer *retry.Standard

	mutex      sync.Mutex
	partitions []*partition // by where their keys begin
	spread     map[string]uint64
	writes     *bucket // of all; nil for no bound
	reads      *bucket
	used       usage
	locked     map[string]bool // items of transactions under way
	throttled  map[string]int  // by what refused: a partition, or the table
	conflicts  int
	splits     int
}

// partition holds the keys whose hash is from begins up to the next partition's.
type partition struct {
	begins        uint64
	writes, reads *bucket
	second        int64
	used          [2]float64 // writes and reads in that second
	fullSince     time.Time  // when its load became full; zero while it is not
}

// newTable returns a table that is warm for so many units a second.
func newTable(db *fakedynamo.DB, chance *chance, warmWrites, warmReads float64, s settings) *table {
	t := &table{db: db, chance: chance, retryer: retry.NewStandard(), spread: map[string]uint64{}, locked: map[string]bool{},
		throttled: map[string]int{}}
	n := max(warmWrites/partitionWrites.value, warmReads/partitionReads.value, newTableWrites.value/partitionWrites.value)
	for i := range int(n) {
		p := newPartition(uint64(i) * (1 << 63 / uint64(n)))
		p.writes.rate -= s.otherWrites / n // what is not played uses the partitions all the same
		p.reads.rate -= s.otherReads / n
		t.partitions = append(t.partitions, p)
	}
	t.writes, t.reads = newBucket(s.writeQuota), newBucket(s.readQuota)
	t.used.classes, t.used.inSecond = map[string]*peak{}, map[*partition]*[2]float64{}
	return t
}

func newPartition(begins uint64) *partition {
	return &partition{begins: begins, writes: newBucket(partitionWrites.value), reads: newBucket(partitionReads.value)}
}

// bucket holds the units that may be used now.
type bucket struct {
	rate, units float64
	at          time.Time
}

func newBucket(rate float64) *bucket {
	return &bucket{rate: rate, units: rate * burstTime.value, at: time.Now()}
}

// fill adds what has come since.
func (b *bucket) fill(now time.Time) {
	b.units = min(b.rate*burstTime.value, b.units+b.rate*now.Sub(b.at).Seconds())
	b.at = now
}

// has reports whether there is room for a request of about so many units.
func (b *bucket) has(units float64) bool {
	return b.units >= min(units, b.rate*burstTime.value) || b.units >= b.rate*burstTime.value
}

// hashOf spreads keys evenly, and in each run alike.
func hashOf(key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // which has no error
	mixed := h.Sum64()
	mixed = (mixed ^ mixed>>33) * 0xff51afd7ed558ccd // of keys that differ in their ends alone, too
	return mixed ^ mixed>>33
}

// hash is where a key is, by its partition key; where AWS has split that, by both.
func (t *table) hash(pk, sk string) uint64 {
	at := hashOf(pk) >> 1 // so that what is added does not go beyond the greatest
	if width, split := t.spread[pk]; split {
		at += hashOf(sk) % width
	}
	return at
}

// partitionOf is the partition that has a key.
func (t *table) partitionOf(pk, sk string) (*partition, int) {
	at := t.hash(pk, sk)
	i, found := slices.BinarySearchFunc(t.partitions, at, func(p *partition, at uint64) int {
		switch {
		case p.begins < at:
			return -1
		case p.begins > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return t.partitions[i], i
}

// need is what a request asks of a partition key.
type need struct {
	pk, sk        string
	writes, reads float64 // units; of reads the least, until the answer is there
}

// admit takes what a request needs from the table and its partitions, or says what has refused it.
func (t *table) admit(needs []need) (refusedBy string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	now := time.Now()
	var writes, reads float64
	for _, n := range needs {
		writes, reads = writes+n.writes, reads+n.reads
	}
	t.writes.fill(now)
	t.reads.fill(now)
	if writes > 0 && !t.writes.has(writes) || reads > 0 && !t.reads.has(reads) {
		t.throttled["the table"]++
		return "the table"
	}
	for _, n := range needs {
		p, i := t.partitionOf(n.pk, n.sk)
		p.writes.fill(now)
		p.reads.fill(now)
		t.mind(p, i, n, now)
		if n.writes > 0 && !p.writes.has(n.writes) || n.reads > 0 && !p.reads.has(n.reads) {
			t.throttled[classOf(n.pk)]++
			return "a partition"
		}
	}
	for _, n := range needs {
		t.take(n, now)
	}
	return ""
}

// take takes units, be they there or not.
func (t *table) take(n need, now time.Time) {
	p, _ := t.partitionOf(n.pk, n.sk)
	p.writes.units -= n.writes
	p.reads.units -= n.reads
	t.writes.units -= n.writes
	t.reads.units -= n.reads
	p.used[0] += n.writes
	p.used[1] += n.reads
	t.used.add(n, p, now)
}

// more takes what an answer came to above what was taken for it.
func (t *table) more(n need) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.take(n, time.Now())
}

// mind splits a partition whose load has been full for long: at the middle of its keys, or,
// where one key has the load, at the middle of that.
func (t *table) mind(p *partition, i int, n need, now time.Time) {
	second := now.Unix()
	if second == p.second {
		return
	}
	full := p.used[0] >= p.writes.rate*splitShare.value || p.used[1] >= p.reads.rate*splitShare.value
	p.second, p.used = second, [2]float64{}
	switch {
	case !full:
		p.fullSince = time.Time{}
	case p.fullSince.IsZero():
		p.fullSince = now
	case now.Sub(p.fullSince) >= splitAfter.duration():
		p.fullSince = time.Time{}
		t.split(p, i, n.pk)
	}
}

// keyWidth is how much of the hashes a key has whose items were spread.
const keyWidth = 1 << 40

// split has a partition's keys from the middle of a hot one on served by a partition of their own.
func (t *table) split(p *partition, i int, hot string) {
	end := ^uint64(0)
	if i+1 < len(t.partitions) {
		end = t.partitions[i+1].begins
	}
	begins := max(p.begins, hashOf(hot)>>1)
	t.spread[hot] = keyWidth
	t.partitions = slices.Insert(t.partitions, i+1, newPartition(begins+(min(end, begins+keyWidth)-begins)/2))
	t.splits++
}

// lock marks the items of a transaction, or reports that one is in another.
func (t *table) lock(keys []string, write bool) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if slices.ContainsFunc(keys, func(key string) bool { return t.locked[key] }) {
		t.conflicts++
		return false
	}
	for _, key := range keys {
		if write {
			t.locked[key] = true
		}
	}
	return true
}

func (t *table) unlock(keys []string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, key := range keys {
		delete(t.locked, key)
	}
}

// answer makes a request as the SDK does, with its further attempts.
func (t *table) answer(ctx context.Context, work *work, in any) (out any, err error) {
	for attempt := 1; ; attempt++ {
		if out, err = t.attempt(ctx, work, in); err == nil || attempt == t.retryer.MaxAttempts() || !t.retryer.IsErrorRetryable(err) {
			return out, err
		}
		pause, _ := t.retryer.RetryDelay(attempt, err) // which has no error
		if wait(ctx, pause) != nil {
			return nil, ctx.Err()
		}
	}
}

// attempt makes one attempt of a request: half of its time before it is carried out, half after.
func (t *table) attempt(ctx context.Context, work *work, in any) (any, error) {
	r := readRequest(in)
	takes := t.chance.about(r.median, r.p99)
	if starting(in) {
		out, err := t.carryOut(ctx, in)
		count := work.of.meter.Attempted(r.operation, in, out, err)
		t.more(need{pk: r.needs[0].pk, sk: r.needs[0].sk, reads: float64(count.Reads) / float64(capacity.Unit)})
		return out, err
	}
	if err := wait(ctx, takes/2); err != nil {
		return nil, err
	}
	if by := t.admit(r.needs); by != "" {
		return nil, errors.Join(&types.ProvisionedThroughputExceededException{Message: aws.String("too many requests for " + by)}, wait(ctx, takes/2))
	}
	if r.exclusive && !t.lock(r.keys, r.writes) {
		return nil, r.conflict()
	}
	if r.writes && r.exclusive && len(r.keys) > 1 {
		// It is prepared, and can't be lost any more.
		time.Sleep(takes / 4)
	}
	out, err := t.carryOut(ctx, in)
	if r.exclusive && r.writes {
		t.unlock(r.keys)
	}
	count := work.of.meter.Attempted(r.operation, in, out, err)
	read := float64(count.Reads) / float64(capacity.Unit)
	if len(r.needs) == 1 && read > r.needs[0].reads {
		t.more(need{pk: r.needs[0].pk, sk: r.needs[0].sk, reads: read - r.needs[0].reads})
	}
	transfer := time.Duration(0)
	if page, is := out.(*dynamodb.QueryOutput); is && err == nil {
		transfer = time.Duration(read * 4 / 1024 / pageRate.value * float64(time.Second))
		each := itemWork
		if classOf(r.needs[0].pk) == classOf(store.BetsKey("", "", 0)) {
			each = lineWork
		}
		work.compute(time.Duration(page.Count) * each.duration())
	}
	if late := wait(ctx, takes/2+transfer); late != nil {
		return nil, late
	}
	return out, err
}

// carryOut does in the table what is asked for.
func (t *table) carryOut(ctx context.Context, in any) (any, error) {
	switch in := in.(type) {
	case *dynamodb.GetItemInput:
		return t.db.GetItem(ctx, in)
	case *dynamodb.PutItemInput:
		return t.db.PutItem(ctx, in)
	case *dynamodb.DeleteItemInput:
		return t.db.DeleteItem(ctx, in)
	case *dynamodb.QueryInput:
		return t.db.Query(ctx, in)
	case *dynamodb.TransactGetItemsInput:
		return t.db.TransactGetItems(ctx, in)
	case *dynamodb.TransactWriteItemsInput:
		return t.db.TransactWriteItems(ctx, in)
	}
	return nil, errors.New("the model of DynamoDB does not know this request: add it to carryOut")
}

// request is what the model has to know of a request.
type request struct {
	operation   string
	median, p99 figure
	needs       []need
	keys        []string // of items that no other transaction may have
	exclusive   bool     // it can't be beside a transaction of its items
	writes      bool
}

func (r *request) conflict() error {
	message := aws.String("Transaction is ongoing for the item")
	if !strings.HasPrefix(r.operation, "Transact") {
		return &types.TransactionConflictException{Message: message}
	}
	reasons := make([]types.CancellationReason, len(r.keys))
	for i := range reasons {
		reasons[i].Code = aws.String("TransactionConflict")
	}
	return &types.TransactionCanceledException{Message: message, CancellationReasons: reasons}
}

type item = map[string]types.AttributeValue

func textOf(value types.AttributeValue) string {
	text, _ := value.(*types.AttributeValueMemberS)
	if text == nil {
		return ""
	}
	return text.Value
}

// of adds an item that a request is about.
func (r *request) of(key item, writes, reads float64) {
	pk, sk := textOf(key[partitionKey]), textOf(key[sortKey])
	r.needs = append(r.needs, need{pk: pk, sk: sk, writes: writes, reads: reads})
	r.keys = append(r.keys, pk+" / "+sk)
}

// writeUnits are the units of writing an item, by its size alone.
func writeUnits(it item) float64 { return float64(max(1, (capacity.ItemSize(it)+1023)/1024)) }

// readRequest reads a request of DynamoDB.
func readRequest(in any) *request {
	r := &request{median: readMedian, p99: readP99}
	switch in := in.(type) {
	case *dynamodb.GetItemInput:
		r.operation = "GetItem"
		r.of(in.Key, 0, 0.5)
	case *dynamodb.QueryInput:
		r.operation = "Query"
		r.needs = []need{{pk: textOf(in.ExpressionAttributeValues[":pk"]), reads: 1}}
	case *dynamodb.PutItemInput:
		r.operation, r.median, r.p99, r.writes, r.exclusive = "PutItem", writeMedian, writeP99, true, true
		r.of(in.Item, writeUnits(in.Item), 0)
	case *dynamodb.DeleteItemInput:
		r.operation, r.median, r.p99, r.writes, r.exclusive = "DeleteItem", writeMedian, writeP99, true, true
		r.of(in.Key, 1, 0)
	case *dynamodb.TransactGetItemsInput:
		r.operation, r.median, r.p99, r.exclusive = "TransactGetItems", transactMedian, transactP99, true
		for _, each := range in.TransactItems {
			r.of(each.Get.Key, 0, 2)
		}
	case *dynamodb.TransactWriteItemsInput:
		r.operation, r.median, r.p99, r.writes, r.exclusive = "TransactWriteItems", transactMedian, transactP99, true, true
		for _, each := range in.TransactItems {
			if each.Put != nil {
				r.of(each.Put.Item, 2*writeUnits(each.Put.Item), 0)
			} else if each.Delete != nil {
				r.of(each.Delete.Key, 2, 0)
			}
		}
	}
	return r
}
