package main

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"tally/lib/store"
)

// fabricated answers the requests of AWS's clients to DynamoDB and SQS without
// any store behind it: bets are made up page by page as they are read, messages
// and reports are thrown away, and only the few other items of the draw are kept.
// So what a process takes in time and memory is tally's and the SDK's own, from the
// bytes of an answer on.
//
// One sweep is all that writes, so every condition holds and none is checked.
type fabricated struct {
	betsPerBookmaker int

	mutex sync.Mutex
	items map[string]map[string]json.RawMessage // by partition and sort key
}

var (
	_ aws.HTTPClient = (*fabricated)(nil)
	_ http.Handler   = (*fabricated)(nil)
)

// config is that of clients whose requests end here.
func (f *fabricated) config() aws.Config {
	return aws.Config{Region: region, HTTPClient: f, BaseEndpoint: aws.String("http://fabricated.invalid"),
		Credentials: credentials.NewStaticCredentialsProvider("none", "none", "")}
}

// Do answers a client of this process.
func (f *fabricated) Do(request *http.Request) (*http.Response, error) {
	body, err := f.respond(request)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(body), ContentLength: -1, Request: request}, nil
}

// ServeHTTP answers a client of another process.
func (f *fabricated) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := f.respond(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = io.Copy(w, body) // the client is gone when this fails
}

// wireKey is a key as DynamoDB writes it in JSON.
type wireKey struct {
	PK struct{ S string } `json:"pk"`
	SK struct{ S string } `json:"sk"`
}

// wireRequest is what is needed of any of the requests.
type wireRequest struct {
	Item              json.RawMessage
	Key               wireKey
	ExclusiveStartKey *wireKey
	TransactItems     []struct {
		Put struct{ Item json.RawMessage }
		Get struct{ Key wireKey }
	}
	Values      map[string]struct{ S string } `json:"ExpressionAttributeValues"`
	MessageBody string
}

// respond returns the body of the answer to one request.
func (f *fabricated) respond(request *http.Request) (io.Reader, error) {
	var r wireRequest
	if err := json.NewDecoder(request.Body).Decode(&r); err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	switch operation {
	case "Query":
		if pk := r.Values[":pk"].S; !strings.HasPrefix(pk, "BETS#") {
			return f.partition(pk), nil
		}
		return f.bets(r.Values[":pk"].S, r.ExclusiveStartKey)
	case "GetItem":
		return f.get(r.Key), nil
	case "PutItem":
		return strings.NewReader("{}"), f.put(r.Item)
	case "TransactWriteItems":
		for _, write := range r.TransactItems {
			if err := f.put(write.Put.Item); err != nil {
				return nil, err
			}
		}
		return strings.NewReader("{}"), nil
	case "TransactGetItems":
		return f.together(r), nil
	case "SendMessage":
		sum := md5.Sum([]byte(r.MessageBody))
		return strings.NewReader(`{"MessageId":"1","MD5OfMessageBody":"` + hex.EncodeToString(sum[:]) + `"}`), nil
	case "GetQueueAttributes":
		return strings.NewReader(`{"Attributes":{"ApproximateNumberOfMessages":"0","ApproximateNumberOfMessagesNotVisible":"0","ApproximateNumberOfMessagesDelayed":"0"}}`), nil
	}
	return nil, fmt.Errorf("nothing answers %q", operation)
}

func (f *fabricated) get(key wireKey) io.Reader { return strings.NewReader(f.item(key)) }

// item is a found item as an answer has it, or an empty object.
func (f *fabricated) item(key wireKey) string {
	item, found := f.items[key.PK.S][key.SK.S]
	if !found {
		return "{}"
	}
	return `{"Item":` + string(item) + "}"
}

// together answers a read of several items.
func (f *fabricated) together(r wireRequest) io.Reader {
	items := make([]string, len(r.TransactItems))
	for i, read := range r.TransactItems {
		items[i] = f.item(read.Get.Key)
	}
	return strings.NewReader(`{"Responses":[` + strings.Join(items, ",") + "]}")
}

// put keeps an item, unless it is a page of a report.
func (f *fabricated) put(item json.RawMessage) error {
	var key wireKey
	if err := json.Unmarshal(item, &key); err != nil {
		return fmt.Errorf("reading an item's key: %w", err)
	}
	if strings.HasPrefix(key.PK.S, "REPORT#") {
		return nil
	}
	if f.items == nil {
		f.items = map[string]map[string]json.RawMessage{}
	}
	if f.items[key.PK.S] == nil {
		f.items[key.PK.S] = map[string]json.RawMessage{}
	}
	f.items[key.PK.S][key.SK.S] = bytes.Clone(item)
	return nil
}

// partition returns all of a small partition.
func (f *fabricated) partition(pk string) io.Reader {
	var items [][]byte
	for _, sk := range slices.Sorted(maps.Keys(f.items[pk])) {
		items = append(items, f.items[pk][sk])
	}
	return strings.NewReader(`{"Items":[` + string(bytes.Join(items, []byte(","))) + "]}")
}

// bets returns a page of a bookmaker's bets.
func (f *fabricated) bets(pk string, after *wireKey) (io.Reader, error) {
	page := &betPage{pk: pk, next: 1, last: f.betsPerBookmaker}
	if after != nil {
		index, err := strconv.Atoi(after.SK.S[len("BET#"):][:indexDigits])
		if err != nil {
			return nil, fmt.Errorf("reading where to go on: %w", err)
		}
		page.next = index + 1
	}
	return page, nil
}

// indexDigits is how many digits of a reference are the bet's number, from 1:
// so references are in order.
const indexDigits = 8

// pageBytes is where DynamoDB ends a page.
const pageBytes = 1 << 20

// betPage writes a page as it is read, so that it never is in memory as a whole.
type betPage struct {
	pk         string
	next, last int
	size       int // of the items written, as DynamoDB counts it
	buffer     []byte
	started    bool
	ended      bool
}

// Read implements io.Reader.
func (p *betPage) Read(into []byte) (int, error) {
	if len(p.buffer) == 0 {
		if p.ended {
			return 0, io.EOF
		}
		p.fill()
	}
	n := copy(into, p.buffer)
	p.buffer = p.buffer[n:]
	return n, nil
}

// fill writes the next bet, and what stands before and after all.
func (p *betPage) fill() {
	p.buffer = p.buffer[:0]
	if !p.started {
		p.started = true
		p.buffer = append(p.buffer, `{"Items":[`...)
	}
	if p.next <= p.last && p.size < pageBytes {
		if p.size > 0 {
			p.buffer = append(p.buffer, ',')
		}
		p.bet(p.next)
		p.next++
		return
	}
	p.ended = true
	p.buffer = append(p.buffer, ']')
	if p.next <= p.last {
		p.buffer = fmt.Appendf(p.buffer, `,"LastEvaluatedKey":{"pk":{"S":%q},"sk":{"S":"BET#%s"}}`, p.pk, fabricatedReference(p.next-1))
	}
	p.buffer = append(p.buffer, '}')
}

// bet appends a bet and adds its size: names, texts, and for a number one byte for
// two digits and one more.
func (p *betPage) bet(index int) {
	reference, selection := fabricatedReference(index), selections[index%len(selections)]
	stake, accepted := 50*(1+index%200), int64(opensAt)+int64(index)%int64(closesAt-opensAt)
	p.buffer = fmt.Appendf(p.buffer, `{"pk":{"S":%q},"sk":{"S":"BET#%s"},"s":{"S":%q},"c":{"S":"EUR"},"p":{"S":"shop-%03d"},`+
		`"k":{"N":"%d"},"a":{"N":"%d"},"r":{"N":"1"},"expires_at":{"N":"1830600270"}}`, p.pk, reference, selection, index%500, stake, accepted)
	const names, numbers = len("pkskscpkarexpires_at"), 3 + 8 + 2 + 6
	p.size += names + len(p.pk) + len("BET#") + len(reference) + len(selection) + len("EUR") + len("shop-000") + numbers
}

// fabricatedReference returns a reference of 20 bytes: the bet's number, and what
// does not compress.
func fabricatedReference(index int) string {
	mixed := uint64(index) * 0x9e3779b97f4a7c15
	mixed = (mixed ^ mixed>>31) * 0xbf58476d1ce4e5b9
	return fmt.Sprintf("%0*d%012x", indexDigits, index, mixed>>16)
}

// selections are those of a thousand bets.
var selections = func() []string {
	list, random := make([]string, 1000), newBettor()
	for i := range list {
		list[i] = random.selection()
	}
	return list
}()

// forget forgets every item.
func (f *fabricated) forget() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.items = nil
}

// register enters the bookmakers as placing does.
func (f *fabricated) register() error {
	for i := range bookmakers {
		item := fmt.Sprintf(`{"pk":{"S":%q},"sk":{"S":%q}}`, store.DrawKey(drawID), store.PartKey(bookmaker(i)))
		if err := f.put(json.RawMessage(item)); err != nil {
			return err
		}
	}
	return nil
}
