package sqsqueue

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Name returns the name of a queue, which ends its URL and its ARN.
func Name(of string) string {
	return of[strings.LastIndexAny(of, ":/")+1:]
}

// FindClient is what [Find] needs of the SDK's client.
type FindClient interface {
	GetQueueUrl(ctx context.Context, in *sqs.GetQueueUrlInput, options ...func(*sqs.Options)) (*sqs.GetQueueUrlOutput, error)
}

// Find returns the URL of a queue by its name; a URL it returns as it is.
func Find(ctx context.Context, client FindClient, name string) (url string, err error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	out, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
	if err != nil {
		return "", fmt.Errorf("finding the queue %s: %w", name, err)
	}
	return aws.ToString(out.QueueUrl), nil
}
