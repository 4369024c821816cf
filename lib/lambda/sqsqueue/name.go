package sqsqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
)

// Name returns the name of a queue, which ends its URL and its ARN.
func Name(of string) string {
	return of[strings.LastIndexAny(of, ":/")+1:]
}

// FindClient is what [Find] needs of the SDK's client.
type FindClient interface {
	GetQueueUrl(ctx context.Context, in *sqs.GetQueueUrlInput, options ...func(*sqs.Options)) (*sqs.GetQueueUrlOutput, error)
}

// ErrNoQueue says that there is no queue of a name.
var ErrNoQueue = errors.New("there is no such queue")

// Find returns the URL of a queue by its name; a URL it returns as it is.
func Find(ctx context.Context, client FindClient, name string) (url string, err error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	out, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
	var api smithy.APIError
	if errors.As(err, &api) && (api.ErrorCode() == "QueueDoesNotExist" || api.ErrorCode() == "AWS.SimpleQueueService.NonExistentQueue") {
		return "", fmt.Errorf("finding the queue %s: %w", name, ErrNoQueue)
	}
	if err != nil {
		return "", fmt.Errorf("finding the queue %s: %w", name, err)
	}
	return aws.ToString(out.QueueUrl), nil
}
