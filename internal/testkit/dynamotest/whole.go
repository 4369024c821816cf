package dynamotest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// whole is an HTTP client that gives the transport each request's body as bytes of its
// own. The SDK closes a body as soon as the response has begun; a transport that has sent
// all of it but not looked for more yet then reads io.EOF as an error, closes the
// connection under the response and makes the SDK send the request again. On a busy
// machine that is one request in some thousands, and tests that count requests find it.
type whole struct{ client *awshttp.BuildableClient }

func newWhole() whole { return whole{client: awshttp.NewBuildableClient()} }

func (w whole) Do(request *http.Request) (*http.Response, error) {
	if request.Body == nil {
		return w.client.Do(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the request's body: %w", err)
	}
	sent := request.Clone(request.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	return w.client.Do(sent)
}
