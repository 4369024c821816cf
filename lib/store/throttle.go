package store

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// ErrThrottled says that a write was not made, and that none of it is under way: however
// often it was sent, DynamoDB has answered that there is too much to do. Without it a
// throttle says nothing of the attempts before it, one of which may have been lost and
// arrive yet.
var ErrThrottled = errors.New("DynamoDB takes no more writes of this partition at the moment, and has not made this one")

// attempts is what DynamoDB has answered to one write, however often it was sent: the
// client tells of its last attempt alone.
type attempts struct{ conflicts, throttles, others int }

// throttled reports whether each attempt was answered, and by nothing but that it is not
// made: for too much to do, and before that perhaps for a transaction under way.
func (a *attempts) throttled() bool { return a.throttles > 0 && a.others == 0 }

func (a *attempts) note(err error) {
	var conflict *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	var refused smithy.APIError
	switch {
	case errors.As(err, &conflict), errors.As(err, &cancelled) && only(cancelled, conflicting):
		a.conflicts++
	case throttled(err), errors.As(err, &refused) && throttles[refused.ErrorCode()]:
		a.throttles++
	default:
		a.others++
	}
}

// throttles are the codes by which DynamoDB says that there is too much to do.
var throttles = map[string]bool{"ProvisionedThroughputExceededException": true, "ThrottlingException": true, "RequestLimitExceeded": true}

// answered makes a request, and notes what each of its attempts is answered. A client that
// makes no attempts, as those of tests, makes one.
func (a *attempts) answered(request func(watched func(*dynamodb.Options)) error) error {
	before := *a
	err := request(func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, a.attach) })
	if *a == before {
		a.note(err)
	}
	return err
}

// attach has the answer to each attempt noted.
func (a *attempts) attach(stack *middleware.Stack) error {
	each := middleware.FinalizeMiddlewareFunc("NotedAttempt", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
		middleware.FinalizeOutput, middleware.Metadata, error,
	) {
		out, metadata, err := next.HandleFinalize(ctx, in)
		a.note(err)
		return out, metadata, err
	})
	return stack.Finalize.Insert(each, "Retry", middleware.After)
}
