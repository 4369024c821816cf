package samtemplate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/lib/local/samtemplate"
	"tally/lib/site/serve"
)

// cachingOptimized is AWS's own cache policy of that name.
const cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6"

// The site serves both buckets, each by its own path, with the headers that are
// sent on a laptop, and to TLS only.
func TestSiteAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	if len(stack.Sites) != 1 || len(stack.OnEdge) != 1 || len(stack.Headers) != 2 {
		t.Fatalf("%d distributions, %d functions, %d policies of headers", len(stack.Sites), len(stack.OnEdge), len(stack.Headers))
	}
	site := stack.Sites[0]
	want := []samtemplate.Origin{
		{ID: "pages", Domain: "prod-PagesBucket.s3.eu-central-1.amazonaws.com", Access: "prod-OriginAccess"},
		{ID: "log", Domain: "prod-LogBucket.s3.eu-central-1.amazonaws.com", Access: "prod-OriginAccess"},
	}
	if !slices.Equal(site.Origins, want) {
		t.Errorf("the origins are %+v", site.Origins)
	}
	if site.Root != "index.html" || site.HTTP != "http2and3" || site.AccessLogs != "" || len(site.Aliases) > 0 || site.Certificate != "" {
		t.Errorf("the site %+v", site)
	}
	for _, code := range []int{403, 404} { // who may not list a bucket is told 403 of what is not there
		if !slices.Contains(site.Errors, samtemplate.ErrorPage{Of: code, Answer: 404, Page: "/404.html", Seconds: 5}) {
			t.Errorf("a %d becomes one of %+v", code, site.Errors)
		}
	}
	if site.Default.Origin != "pages" || site.Default.Headers != "prod-PageHeaders" || len(site.Behaviours) != 2 {
		t.Errorf("the default is %+v", site.Default)
	}
	for pattern, origin := range map[string]string{"/results/*": "pages", "/" + serve.LogFolder + "*": "log"} {
		if !slices.ContainsFunc(site.Behaviours, func(b samtemplate.Behaviour) bool {
			return b.Pattern == pattern && b.Origin == origin && b.Headers == "prod-FileHeaders"
		}) {
			t.Errorf("%s is not served from %s for all: %+v", pattern, origin, site.Behaviours)
		}
	}
	for _, b := range append(site.Behaviours, site.Default) {
		if b.Viewers != "redirect-to-https" || !b.Compress || b.Caching != cachingOptimized || !slices.Equal(b.Methods, []string{"GET", "HEAD"}) {
			t.Errorf("the behaviour %+v", b)
		}
		paths := b.Functions["viewer-request"]
		if needs := b.Pattern != "/results/*"; needs != (paths == "arn:aws:cloudfront::123456789012:function/prod-paths") {
			t.Errorf("%q has the function %q", b.Pattern, paths)
		}
	}
}

// The headers are those of the local server.
func TestHeadersAsServed(t *testing.T) {
	for _, headers := range resolve(t, nil).Headers {
		if !maps.Equal(headers.Values, serve.Headers) {
			t.Errorf("%s has %v, the local server sends %v", headers.ID, headers.Values, serve.Headers)
		}
		if forAll := headers.ID == "FileHeaders"; forAll != slices.Equal(headers.Origins, []string{"*"}) || forAll != slices.Equal(headers.Methods, []string{"GET", "HEAD"}) {
			t.Errorf("%s lets %q with %q", headers.ID, headers.Origins, headers.Methods)
		}
	}
	if !serve.IsForAll("results/index.json") || !serve.IsForAll("log/checkpoint") || serve.IsForAll("en/index.html") {
		t.Error("the local server lets others read something else")
	}
}

// A domain comes with its certificate, and access logs with their bucket.
func TestSiteOfADomain(t *testing.T) {
	const certificate = "arn:aws:acm:us-east-1:123456789012:certificate/0a-1b"
	site := resolve(t, map[string]string{"SiteDomain": "results.example.com", "SiteCertificate": certificate, "SiteLogBucket": "logs.s3.amazonaws.com"}).Sites[0]
	if !slices.Equal(site.Aliases, []string{"results.example.com"}) || site.Certificate != certificate || site.Protocol != "TLSv1.2_2021" || site.AccessLogs != "logs.s3.amazonaws.com" {
		t.Errorf("%+v", site)
	}
}

// Only the site reads the buckets, and it only reads.
func TestBucketsAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	pages := stack.Buckets[slices.IndexFunc(stack.Buckets, func(b samtemplate.Bucket) bool { return b.ID == "PagesBucket" })]
	want := samtemplate.Bucket{Resource: samtemplate.Resource{ID: "PagesBucket", Name: "prod-PagesBucket", DeletionPolicy: "Retain", ReplacePolicy: "Retain"},
		ARN: "arn:aws:s3:::prod-PagesBucket", Encrypted: true, Closed: true, OwnerEnforced: true}
	if pages != want {
		t.Errorf("got %+v, want %+v", pages, want)
	}
	for _, policy := range stack.Rules {
		allows := 0
		for _, statement := range policy.Statements {
			if statement.Effect != "Allow" {
				continue
			}
			allows++
			if statement.Principal != "cloudfront.amazonaws.com" || !slices.Equal(statement.Actions, []string{"s3:GetObject"}) ||
				!maps.Equal(statement.Unless, map[string]string{"StringEquals AWS:SourceArn": "arn:aws:cloudfront::123456789012:distribution/prod-Distribution"}) {
				t.Errorf("%s allows %+v", policy.ID, statement)
			}
		}
		if allows != 1 || !slices.ContainsFunc(policy.Statements, func(s samtemplate.Statement) bool {
			return s.Effect == "Deny" && s.Unless["Bool aws:SecureTransport"] == "false" && slices.Equal(s.Actions, []string{"s3:*"})
		}) {
			t.Errorf("%s: %+v", policy.ID, policy.Statements)
		}
	}
}

// The function of CloudFront strips the log's folder from paths.
func TestSitePaths(t *testing.T) {
	f := resolve(t, nil).OnEdge[0]
	if f.Runtime != "cloudfront-js-2.0" || !strings.Contains(f.Code, "request.uri.startsWith('/"+serve.LogFolder+"')") || !strings.Contains(f.Code, "request.uri.slice('/log'.length)") {
		t.Errorf("%+v", f)
	}
}

// The site follows the log every minute; a run that failed is not repeated, for the
// next one does what it left.
func TestPagesAsDecided(t *testing.T) {
	pages, found := resolve(t, nil).Function("pages")
	if !found || len(pages.Schedules) != 1 || pages.Schedules[0].Expression != "rate(1 minute)" || pages.Timeout >= time.Minute || pages.Retries != 0 {
		t.Errorf("pages: %+v", pages)
	}
}
