package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// figure is a number that the model takes from elsewhere, with where it is from.
type figure struct {
	name  string
	value float64
	unit  string
	from  string
}

// duration is the figure of a unit ms or s.
func (f figure) duration() time.Duration {
	unit := time.Second
	if f.unit == "ms" {
		unit = time.Millisecond
	}
	return time.Duration(f.value * float64(unit))
}

// Pages that several figures are from; all were read on 2026-12-01.
const (
	pageQuotasDynamo = "DynamoDB Developer Guide, Quotas in Amazon DynamoDB"
	pageWarm         = "DynamoDB Developer Guide, Understanding DynamoDB warm throughput in different scenarios"
	pageOnDemand     = "DynamoDB Developer Guide, DynamoDB on-demand capacity mode"
	pageSplit        = "AWS Database Blog, Scaling DynamoDB: How partitions, hot keys, and split for heat impact performance, parts 2 and 3"
	pageLatency      = "AWS Database Blog, Understanding Amazon DynamoDB latency: single-digit milliseconds, no percentile is published; the spread is assumed"
	pageQueueScaling = "Lambda Developer Guide, Configuring scaling behavior for SQS event source mappings"
	pageScaling      = "Lambda Developer Guide, Lambda scaling behavior"
	pageLambdaQuotas = "Lambda Developer Guide, Lambda quotas"
	pageLambdaMemory = "Lambda Developer Guide, Configure Lambda function memory"
	pageCold         = "Lambda Operator Guide, Lambda execution environments: from under 100 ms to over a second"
	pageQueueLatency = "SQS Developer Guide, Increasing throughput: 20 ms as an example; the spread is assumed"
	pageQueueQuotas  = "SQS Developer Guide, Amazon SQS standard queue quotas"
	pageGateway      = "API Gateway Developer Guide, Quotas for configuring and running an HTTP API"
	pageGatewayTime  = "AWS Compute Blog, HTTP APIs now generally available: less than 10 ms at p99; the median is assumed"
	pageFiles        = "S3 User Guide, Best practices design patterns: optimizing Amazon S3 performance"
	pageSigning      = "KMS Developer Guide has no latency: assumed"
	pagePrices       = "AWS's price list of us-east-1, without free tiers and rebates for quantity"
	pageAssumed      = "assumed: what the goal leaves open"
	pageMeasured     = "measured: docs/benchmarks.md and docs/costs.md"
)

// What the goal says, and what it leaves open.
var (
	dayBets       = figure{"bets a day", 1e9, "bets", "the goal"}
	dayDraws      = figure{"draws a day", 2e6, "draws", "the goal"}
	manyMakers    = figure{"bookmakers", 200, "bookmakers", "the goal"}
	hotBets       = figure{"bets of the hot draw, of one bookmaker", 200_000, "bets", "the goal"}
	hotTime       = figure{"time of the hot draw's bets", 20, "s", "the goal"}
	peakFactor    = figure{"peak, as a multiple of the day's mean", 2, "times", pageAssumed}
	makerExponent = figure{"sizes of bookmakers: Zipf's exponent", 1, "", pageAssumed}
	holdTime      = figure{"time for which a bookmaker collects bets for one request", 100, "ms", pageAssumed}
	feedEvery     = figure{"time between two readings of a feed by its bookmaker", 1, "s", pageAssumed}
	roundTime     = figure{"time for which a draw takes bets", 8, "s", pageAssumed}
	resultAfter   = figure{"time from the closing to the result", 2, "s", pageAssumed}
)

// DynamoDB.
var (
	partitionWrites = figure{"write units of a partition", 1000, "a second", pageWarm}
	partitionReads  = figure{"read units of a partition", 3000, "a second", pageWarm}
	newTableWrites  = figure{"write units of a new table", 4000, "a second", pageOnDemand}
	newTableReads   = figure{"read units of a new table", 12_000, "a second", pageOnDemand}
	tableWriteQuota = figure{"write units of a table, default quota", 40_000, "a second", pageQuotasDynamo}
	tableReadQuota  = figure{"read units of a table, default quota", 40_000, "a second", pageQuotasDynamo}
	burstTime       = figure{"time whose unused units a partition keeps (up to 300 s is best effort, and not counted on)", 1, "s", pageAssumed}
	splitAfter      = figure{"time of full load after which a partition is split", 600, "s", pageSplit}
	splitShare      = figure{"share of a partition's units that is full load", 0.9, "", pageSplit + "; the share is assumed"}
	readMedian      = figure{"read of DynamoDB, median", 4, "ms", pageLatency}
	readP99         = figure{"read of DynamoDB, p99", 10, "ms", pageLatency}
	writeMedian     = figure{"write of DynamoDB, median", 5, "ms", pageLatency}
	writeP99        = figure{"write of DynamoDB, p99", 12, "ms", pageLatency}
	transactMedian  = figure{"transaction of DynamoDB, median", 10, "ms", pageLatency}
	transactP99     = figure{"transaction of DynamoDB, p99", 25, "ms", pageLatency}
	pageRate        = figure{"pages of queries", 20, "MB a second", pageAssumed}
)

// SQS, Lambda and API Gateway.
var (
	queueMedian   = figure{"request of SQS, median", 20, "ms", pageQueueLatency}
	queueP99      = figure{"request of SQS, p99", 60, "ms", pageQueueLatency}
	queueInFlight = figure{"messages in flight of a standard queue", 120_000, "messages", pageQueueQuotas}
	pollersFirst  = figure{"batches of a queue at once, to begin with", 5, "batches", pageQueueScaling}
	pollersMore   = figure{"batches more at once, while messages wait", 300, "a minute", pageQueueScaling}
	pollersMost   = figure{"batches of a queue at once, at most", 1000, "batches", pageQueueScaling}
	accountAtOnce = figure{"concurrency of the account, default quota", 1000, "instances", pageLambdaQuotas}
	scaleUp       = figure{"instances more of a function", 1000, "in 10 s", pageScaling}
	payload       = figure{"payload of an invocation", 6, "MB", pageLambdaQuotas}
	coldMedian    = figure{"cold start, median", 200, "ms", pageCold}
	coldP99       = figure{"cold start, p99", 1000, "ms", pageCold}
	coreMemory    = figure{"memory that comes with one core", 1769, "MB", pageLambdaMemory}
	gatewayRate   = figure{"requests of an account's HTTP APIs, default quota", 10_000, "a second", pageGateway}
	gatewayMedian = figure{"API Gateway itself, median", 4, "ms", pageGatewayTime}
	gatewayP99    = figure{"API Gateway itself, p99", 10, "ms", pageGatewayTime}
	fileMedian    = figure{"request of S3, median", 100, "ms", pageFiles}
	fileP99       = figure{"request of S3, p99", 200, "ms", pageFiles}
	prefixPuts    = figure{"writes of S3 under one prefix", 3500, "a second", pageFiles}
	signMedian    = figure{"signature of KMS, median", 10, "ms", pageSigning}
	signP99       = figure{"signature of KMS, p99", 50, "ms", pageSigning}
	requestWork   = figure{"processor time of a request to AWS, on a core", 0.08, "ms", "measured: BenchmarkRequest of internal/bench/scale"}
	itemWork      = figure{"processor time of an item of a query, on a core", 0.003, "ms", "measured: BenchmarkItems of internal/bench/scale"}
	betWork       = figure{"processor time of a bet in api, on a core", 0.032, "ms", pageMeasured + ", BenchmarkPlace"}
	lineWork      = figure{"processor time of a bet that is read and settled, on a core", 0.012, "ms", pageMeasured}
)

// Prices, in dollars.
var (
	priceWrites   = figure{"million write units", 0.625, "dollars", pagePrices}
	priceReads    = figure{"million read units", 0.125, "dollars", pagePrices}
	priceStored   = figure{"GB of the table for a month", 0.25, "dollars", pagePrices}
	priceBackup   = figure{"GB of the table's backups for a month", 0.20, "dollars", pagePrices}
	priceMessages = figure{"million requests of SQS", 0.40, "dollars", pagePrices}
	priceCalls    = figure{"million invocations", 0.20, "dollars", pagePrices}
	priceCompute  = figure{"million GB seconds of Lambda on arm64", 13.3334, "dollars", pagePrices}
	priceGateway  = figure{"million requests of an HTTP API", 1.00, "dollars", pagePrices}
	pricePuts     = figure{"million writes of S3", 5.00, "dollars", pagePrices}
	priceGets     = figure{"million reads of S3", 0.40, "dollars", pagePrices}
	priceSigns    = figure{"million signatures of KMS", 15.00, "dollars", pagePrices}
	priceLogs     = figure{"GB of CloudWatch Logs", 0.50, "dollars", pagePrices}
)

// figures are all of them, in the order in which they are shown.
var figures = []figure{
	dayBets, dayDraws, manyMakers, hotBets, hotTime, peakFactor, makerExponent, holdTime, feedEvery, roundTime, resultAfter,
	partitionWrites, partitionReads, newTableWrites, newTableReads, tableWriteQuota, tableReadQuota, burstTime, splitAfter, splitShare,
	readMedian, readP99, writeMedian, writeP99, transactMedian, transactP99, pageRate,
	queueMedian, queueP99, queueInFlight, pollersFirst, pollersMore, pollersMost, accountAtOnce, scaleUp, payload, coldMedian, coldP99, coreMemory,
	gatewayRate, gatewayMedian, gatewayP99, fileMedian, fileP99, prefixPuts, signMedian, signP99, requestWork, itemWork, betWork, lineWork,
	priceWrites, priceReads, priceStored, priceBackup, priceMessages, priceCalls, priceCompute, priceGateway, pricePuts, priceGets, priceSigns, priceLogs,
}

// chance is where all that is random of a run comes from.
type chance struct {
	mutex  sync.Mutex
	random *rand.Rand
}

func newChance(seed uint64) *chance { return &chance{random: rand.New(rand.NewPCG(seed, 1))} }

func (c *chance) float() float64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.random.Float64()
}

func (c *chance) below(n int) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.random.IntN(n)
}

// z99 is how many standard deviations above the median the 99th percentile of a normal
// distribution is.
const z99 = 2.326

// about returns a time that is log-normal by its median and p99.
func (c *chance) about(median, p99 figure) time.Duration {
	c.mutex.Lock()
	z := c.random.NormFloat64()
	c.mutex.Unlock()
	spread := math.Log(p99.value/median.value) / z99
	return time.Duration(float64(median.duration()) * math.Exp(z*spread))
}
