package api

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"golang.org/x/time/rate"

	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// unavailable reports whether an error passes by itself: the same again may be
// answered.
func unavailable(err error) bool {
	var network net.Error
	var conflict *types.TransactionConflictException
	var fromAWS smithy.APIError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, store.ErrChanged), errors.Is(err, store.ErrThrottled), errors.Is(err, games.ErrUnknown),
		errors.As(err, &network), errors.As(err, &conflict):
		return true
	case errors.As(err, &fromAWS):
		return fromAWS.ErrorFault() == smithy.FaultServer || throttled[fromAWS.ErrorCode()]
	}
	return false
}

// throttled are the codes by which DynamoDB says that there is too much to do.
var throttled = map[string]bool{"ProvisionedThroughputExceededException": true, "ThrottlingException": true, "RequestLimitExceeded": true,
	"LimitExceededException": true}

// rates limits the requests of each bookmaker in this process.
type rates struct {
	mutex    sync.Mutex
	limiters map[string]*rate.Limiter
}

// allow takes a request of a bookmaker that may make so many in a second.
func (r *rates) allow(bookmaker string, perSecond int) bool {
	r.mutex.Lock()
	limiter := r.limiters[bookmaker]
	if limiter == nil || limiter.Burst() != perSecond {
		if r.limiters == nil {
			r.limiters = map[string]*rate.Limiter{}
		}
		limiter = rate.NewLimiter(rate.Limit(perSecond), perSecond)
		r.limiters[bookmaker] = limiter
	}
	r.mutex.Unlock()
	return limiter.Allow()
}
