package exploration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/store"
)

// request is one that a handler makes, to DynamoDB or to a queue.
type request struct {
	run     func(context.Context, store.DynamoDB) (any, error)
	keys    []uint32 // what it reads or writes; none of a query
	write   bool
	pk      string // of a query that takes several steps
	query   *dynamodb.QueryInput
	message string // that is sent
	short   string // for people
}

// program is a handler with all that it needs: its own clock, and memory that begins
// empty.
type program struct {
	name    string
	message string // of a queue that it handles
	run     func(ctx context.Context, p *probe)
}

// probe is what a handler finds where DynamoDB and its queues are. It gives the answers
// that the handler had before; the request after the last of them is what comes next.
type probe struct {
	explorer *explorer
	mutex    sync.Mutex
	answers  []uint32
	end      context.CancelFunc
	next     uint32 // the request that comes next, 0 when the handler has ended
	notes    []string
	// sawResult says that a HEAD with the draw's result was among the answers.
	sawResult bool
}

// note keeps what a handler has come to: an answer to its client, or what becomes of its
// message.
func (p *probe) note(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.next == 0 {
		p.notes = append(p.notes, fmt.Sprintf(format, args...))
	}
}

var errOver = errors.New("nothing of this has an effect")

// ask answers a request, if it was answered before.
func (p *probe) ask(ctx context.Context, text string, fill func() *request) (any, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.next != 0 || ctx.Err() != nil {
		return nil, cmpErr(ctx.Err(), errOver)
	}
	if len(p.answers) == 0 {
		p.next = p.explorer.requests.number(text, fill)
		p.end()
		return nil, errOver
	}
	answer := p.explorer.tables.results.values[p.answers[0]]
	p.answers = p.answers[1:]
	p.sawResult = p.sawResult || answer.isResult
	return answer.out, answer.err
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (p *probe) keys(list ...item) (keys []uint32) {
	for _, it := range list {
		keys = append(keys, p.explorer.tables.key(keyOf(it)))
	}
	return keys
}

// as is an answer as a request has it; writes that succeed are answered alike.
func as[T any](out any, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if answer, is := out.(*T); is {
		return answer, nil
	}
	return new(T), nil
}

var _ store.DynamoDB = (*probe)(nil)

// GetItem implements store.DynamoDB.
func (p *probe) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return as[dynamodb.GetItemOutput](p.ask(ctx, "get "+encode(in.Key), func() *request {
		return &request{short: "reads " + keyOf(in.Key), keys: p.keys(in.Key),
			run: func(ctx context.Context, db store.DynamoDB) (any, error) { return db.GetItem(ctx, in) }}
	}))
}

// PutItem implements store.DynamoDB.
func (p *probe) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	text := "put " + encode(in.Item) + " if " + aws.ToString(in.ConditionExpression) + encode(in.ExpressionAttributeValues)
	if p.sawResult && strings.HasPrefix(textOf(in.Item, "pk"), "BETS#") && textOf(in.Item, "x") == "" {
		p.note("violation: accepts after it has read the result: %s", keyOf(in.Item))
	}
	return as[dynamodb.PutItemOutput](p.ask(ctx, text, func() *request {
		return &request{short: "writes " + keyOf(in.Item), keys: p.keys(in.Item), write: true,
			run: func(ctx context.Context, db store.DynamoDB) (any, error) { return db.PutItem(ctx, in) }}
	}))
}

// DeleteItem implements store.DynamoDB.
func (p *probe) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return as[dynamodb.DeleteItemOutput](p.ask(ctx, "delete "+encode(in.Key), func() *request {
		return &request{short: "deletes " + keyOf(in.Key), keys: p.keys(in.Key), write: true,
			run: func(ctx context.Context, db store.DynamoDB) (any, error) { return db.DeleteItem(ctx, in) }}
	}))
}

// Query implements store.DynamoDB.
func (p *probe) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	in = new(*in)
	text := "query " + aws.ToString(in.KeyConditionExpression) + encode(in.ExpressionAttributeValues) + encode(in.ExclusiveStartKey)
	if in.Limit != nil || in.ScanIndexForward != nil {
		text += fmt.Sprint(aws.ToInt32(in.Limit), in.ScanIndexForward == nil || *in.ScanIndexForward)
	}
	return as[dynamodb.QueryOutput](p.ask(ctx, text, func() *request {
		pk := textOf(in.ExpressionAttributeValues, ":pk")
		return &request{short: "queries " + pk, pk: pk, query: in,
			run: func(ctx context.Context, db store.DynamoDB) (any, error) { return db.Query(ctx, in) }}
	}))
}

// TransactGetItems implements store.DynamoDB.
func (p *probe) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	var list []item
	text := "get together"
	for _, get := range in.TransactItems {
		list = append(list, get.Get.Key)
		text += "; " + encode(get.Get.Key)
	}
	return as[dynamodb.TransactGetItemsOutput](p.ask(ctx, text, func() *request {
		return &request{short: "reads together " + names(list), keys: p.keys(list...),
			run: func(ctx context.Context, db store.DynamoDB) (any, error) { return db.TransactGetItems(ctx, in) }}
	}))
}

// TransactWriteItems implements store.DynamoDB.
func (p *probe) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	var list []item
	text := "write together"
	for _, write := range in.TransactItems {
		if put := write.Put; put != nil {
			list = append(list, put.Item)
			text += "; put " + encode(put.Item) + " if " + aws.ToString(put.ConditionExpression) + encode(put.ExpressionAttributeValues)
			continue
		}
		list = append(list, write.Delete.Key)
		text += "; delete " + encode(write.Delete.Key) + " if " + aws.ToString(write.Delete.ConditionExpression) + encode(write.Delete.ExpressionAttributeValues)
	}
	return as[dynamodb.TransactWriteItemsOutput](p.ask(ctx, text, func() *request {
		return &request{short: "writes together " + names(list), keys: p.keys(list...), write: true,
			run: func(ctx context.Context, db store.DynamoDB) (any, error) { return db.TransactWriteItems(ctx, in) }}
	}))
}

func names(list []item) string {
	var keys []string
	for _, it := range list {
		keys = append(keys, textOf(it, "sk"))
	}
	return strings.Join(keys, ", ")
}

// sender sends to the queue of settlements.
type sender struct{ probe *probe }

// Send implements the senders of placing, intake and settle.
func (s sender) Send(ctx context.Context, body string, _ time.Duration) error {
	_, err := s.probe.ask(ctx, "send "+body, func() *request {
		return &request{short: "sends " + body, message: body, write: true}
	})
	return err
}

// nowhere is a queue that nobody here works on.
type nowhere struct{}

// Send implements the senders of intake and settle.
func (nowhere) Send(context.Context, string, time.Duration) error { return nil }

// node is a position of a handler.
type node struct {
	program *program
	before  uint32 // the position before, 0 for none
	answer  uint32 // that led here from it
	request uint32 // that comes next, 0 when it has ended
	notes   []string
	// twin is another history of the same position: answers that lead here as well.
	twin []uint32
	said []answer // of an API process
	bad  string   // what is wrong with what it has done

	// A query under way has a position of its own after each step: of is where it began,
	// found are the items so far, through is the sort key up to which it has come.
	of      uint32
	found   []uint32
	through string
}

// start is the first position of a program.
func (x *explorer) start(p *program) uint32 {
	return x.nodes.number("start "+p.name+" "+p.message, func() *node { return x.replay(&node{program: p}) })
}

// answered is the position after an answer.
func (x *explorer) answered(at, given uint32) uint32 {
	next, known := x.next[[2]uint32{at, given}]
	if known {
		return next
	}
	from := x.nodes.values[at]
	n := x.replay(&node{program: from.program, before: at, answer: given})
	text := ""
	switch class := x.class(from, n); {
	case n.request == 0: // how it came to its end does not matter any more
		text = fmt.Sprintf("end %s %s %q", n.program.name, n.program.message, n.notes)
	case class != "":
		text = class + n.program.message
	default:
		text = fmt.Sprint(at, " ", x.used(at, given))
	}
	next = x.nodes.number(text, func() *node { return n })
	x.next[[2]uint32{at, given}] = next
	x.twins(from, next, n, given)
	return next
}

// twins keeps one of the histories that were taken for the same position, and sees that
// it goes on as the other does.
func (x *explorer) twins(from *node, at uint32, n *node, given uint32) {
	same := x.nodes.values[at]
	if n.request == 0 {
		return
	}
	if same != n && same.twin == nil {
		same.twin = x.history(n)
	}
	if same.request != n.request || !slices.Equal(same.notes, n.notes) {
		x.t.Fatalf("%s goes on in two ways from what was taken for one position", n.program.name)
	}
	if from.twin == nil || x.runs%4 != 0 {
		return
	}
	twin := append(slices.Clone(from.twin), given)
	if other := x.run(n.program, twin); other.next != n.request || !slices.Equal(other.notes, n.notes) {
		x.t.Fatalf("%s goes on in two ways from what was taken for one position, later", n.program.name)
	}
	if same == n {
		n.twin = twin
	}
}

// class names a position at which a handler of messages remembers nothing but its message:
// where a settlement run looks what there is to be done, and where one has ended and a
// look begins. Package settle reads SWEEP and then HEAD, only there.
func (x *explorer) class(from, n *node) string {
	if n.program.name != "settle" || n.request == 0 {
		return ""
	}
	before, next := x.requests.values[from.request].short, x.requests.values[n.request].short
	sweep, head := "reads DRAW#"+theDraw+" / SWEEP", "reads DRAW#"+theDraw+" / HEAD"
	switch {
	case next == sweep && before != head:
		return "begins "
	case next == head && before != sweep:
		return "has settled "
	}
	return ""
}

// used is what a handler can use of an answer. Of all of a draw's items those are of no
// use that are newer than the HEAD that it has read before: nothing names them.
func (x *explorer) used(at, given uint32) string {
	r := x.requests.values[x.nodes.values[at].request]
	out, is := x.tables.results.values[given].out.(*dynamodb.QueryOutput)
	if !is || r.pk != store.DrawKey(theDraw) {
		return fmt.Sprint(given)
	}
	head := x.headBefore(at)
	text := "page"
	for _, it := range out.Items {
		if !x.newer(head, textOf(it, "sk")) {
			text += fmt.Sprint(" ", x.tables.item(it))
		}
	}
	return text
}

// headBefore is the HEAD that a handler has read last.
func (x *explorer) headBefore(at uint32) (head draw.Head) {
	for n := x.nodes.values[at]; n.answer != 0; n = x.nodes.values[n.before] {
		if out, is := x.tables.results.values[n.answer].out.(*dynamodb.GetItemOutput); is && textOf(out.Item, "sk") == store.HeadKey {
			x.decode(out.Item, &head)
			return head
		}
	}
	return head
}

func (x *explorer) newer(head draw.Head, sk string) bool {
	switch kind, rest, _ := strings.Cut(sk, "#"); kind {
	case "HEAD", "SWEEP":
		return true // it has read them before
	case "STATE":
		return sk > store.StateKey(head.State)
	case "REV":
		return sk > store.RevisionKey(head.Revision)
	case "ORDER":
		return !slices.ContainsFunc(head.Orders, func(o draw.Order) bool { return o.ID == rest })
	}
	return false
}

// place is how far a query has come.
type place struct {
	of, found uint32
	through   string
}

// reading is the position within a query.
func (x *explorer) reading(of uint32, found []uint32, through string) uint32 {
	at := place{of, x.found(found), through}
	n, known := x.places[at]
	if !known {
		n = x.nodes.number(fmt.Sprint("query ", at), func() *node {
			from := x.nodes.values[of]
			return &node{program: from.program, before: of, request: from.request, notes: from.notes, of: of, found: found, through: through}
		})
		x.places[at] = n
	}
	return n
}

// history are the answers that lead to a position.
func (x *explorer) history(n *node) (answers []uint32) {
	for at := n; at.answer != 0; at = x.nodes.values[at.before] {
		answers = append(answers, at.answer)
	}
	slices.Reverse(answers)
	return answers
}

// replay runs a handler with the answers that lead to a position, and finds what it asks
// next.
func (x *explorer) replay(n *node) *node {
	p := x.run(n.program, x.history(n))
	n.request, n.notes = p.next, p.notes
	n.said, n.bad = parse(n.notes)
	return n
}

func (x *explorer) run(program *program, answers []uint32) *probe {
	x.runs++
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &probe{explorer: x, answers: answers, end: cancel}
	program.run(ctx, p)
	if len(p.answers) > 0 {
		x.t.Fatalf("%s is not the same when it is run again: %d answers are left of %d", program.name, len(p.answers), len(answers))
	}
	return p
}

// answer is what an API process answered.
type answer struct {
	op      int
	stored  bool
	asked   bool   // settle to look, if that was called for
	refused string // the code
}

func parse(notes []string) (list []answer, bad string) {
	asked := true
	for _, note := range notes {
		n, text, _ := strings.Cut(note, " ")
		code, refused := strings.CutPrefix(text, "refused ")
		switch {
		case strings.HasPrefix(note, "violation"):
			bad = note
		case note == "unlooked":
			asked = false
		case refused:
			list = append(list, answer{op: int(n[0] - '0'), refused: code})
		case strings.HasPrefix(text, "stored"):
			list = append(list, answer{op: int(n[0] - '0'), stored: true, asked: asked})
			asked = true
		}
	}
	return list, bad
}

// pageOf is a page of a query that has found items.
func pageOf(items []item) *dynamodb.QueryOutput {
	return &dynamodb.QueryOutput{Items: items, Count: int32(len(items))}
}

// matches tells whether a query asks for an item.
func (x *explorer) matches(number uint32, r *request, it uint32) bool {
	at := [2]uint32{number, it}
	is, known := x.asked[at]
	if !known {
		db := fakedynamo.New(x.t, tableName)
		x.tables.put(db, it)
		out, err := db.Query(context.Background(), r.query)
		if err != nil {
			x.t.Fatal(err)
		}
		is = len(out.Items) > 0
		x.asked[at] = is
	}
	return is
}
