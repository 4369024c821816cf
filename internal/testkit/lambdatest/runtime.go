package lambdatest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// functionARN is the ARN that functions get as theirs.
const functionARN = "arn:aws:lambda:eu-central-1:000000000000:function:test"

// maxAnswerBytes is Lambda's limit on the answer to an event.
const maxAnswerBytes = 6 << 20

// runtimeAPI is the part of the Lambda Runtime API that a function uses: it asks
// for the next event, and posts its answer or its error. There is one event at a
// time.
//
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
type runtimeAPI struct {
	mux    *http.ServeMux
	events chan invocation
	count  int // of events given

	mutex sync.Mutex
	busy  *invocation // that the function has and has not answered
}

// invocation is an event on its way to the function and back.
type invocation struct {
	id       string
	event    []byte
	deadline time.Time
	answers  chan<- answer // with room for one
}

// answer is what the function made of an event.
type answer struct {
	body  []byte
	fault *Error
	at    time.Time
}

func newRuntimeAPI() *runtimeAPI {
	api := &runtimeAPI{mux: http.NewServeMux(), events: make(chan invocation, 1)}
	const base = "/2018-06-01/runtime/"
	api.mux.HandleFunc("GET "+base+"invocation/next", api.next)
	api.mux.HandleFunc("POST "+base+"invocation/{id}/response", api.response)
	api.mux.HandleFunc("POST "+base+"invocation/{id}/error", api.failure)
	return api
}

// ServeHTTP implements http.Handler.
func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// give puts an event in the way of the function; the channel will have its answer.
func (a *runtimeAPI) give(event []byte, deadline time.Time) <-chan answer {
	a.count++
	answers := make(chan answer, 1)
	given := invocation{id: fmt.Sprintf("00000000-0000-4000-8000-%012d", a.count), event: event, deadline: deadline, answers: answers}
	select {
	case a.events <- given:
	default: // the one before was never fetched: the function is gone
	}
	return answers
}

// next answers with the next event, when there is one.
func (a *runtimeAPI) next(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case given := <-a.events:
		a.mutex.Lock()
		a.busy = &given
		a.mutex.Unlock()
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Lambda-Runtime-Aws-Request-Id", given.id)
		header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(given.deadline.UnixMilli(), 10))
		header.Set("Lambda-Runtime-Invoked-Function-Arn", functionARN)
		header.Set("Lambda-Runtime-Trace-Id", "Root=1-00000000-000000000000000000000000;Sampled=0")
		_, _ = w.Write(given.event) // the function that is gone will not answer either
	}
}

func (a *runtimeAPI) response(w http.ResponseWriter, r *http.Request) {
	a.finish(w, r, func(body []byte) answer { return answer{body: body, at: time.Now()} })
}

func (a *runtimeAPI) failure(w http.ResponseWriter, r *http.Request) {
	a.finish(w, r, func(body []byte) answer {
		fault := new(Error)
		if err := json.Unmarshal(body, fault); err != nil {
			fault.Type, fault.Message = "Unreadable", string(body)
		}
		return answer{fault: fault, at: time.Now()}
	})
}

// finish takes the answer to the event that the function has.
func (a *runtimeAPI) finish(w http.ResponseWriter, r *http.Request, made func(body []byte) answer) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAnswerBytes))
	if err != nil {
		http.Error(w, `{"errorType":"RequestEntityTooLarge"}`, http.StatusRequestEntityTooLarge)
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.busy == nil || a.busy.id != r.PathValue("id") {
		http.Error(w, `{"errorType":"InvalidRequestID"}`, http.StatusBadRequest)
		return
	}
	a.busy.answers <- made(body)
	a.busy = nil
	w.WriteHeader(http.StatusAccepted)
}
