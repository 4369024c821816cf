package samtemplate_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/lib/site/serve"
)

// cachingOptimized is AWS's own cache policy of that name.
const cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6"

// site is a distribution of CloudFront.
type site struct {
	Config struct {
		Aliases     []string          `yaml:"Aliases"`
		Enabled     bool              `yaml:"Enabled"`
		IPv6        bool              `yaml:"IPV6Enabled"`
		Certificate map[string]string `yaml:"ViewerCertificate"`
		HTTP        string            `yaml:"HttpVersion"`
		Root        string            `yaml:"DefaultRootObject"` // the file at /
		AccessLogs  map[string]string `yaml:"Logging"`
		Origins     []origin          `yaml:"Origins"`
		Default     behavior          `yaml:"DefaultCacheBehavior"`
		Behaviors   []behavior        `yaml:"CacheBehaviors"`
		Errors      []errorPage       `yaml:"CustomErrorResponses"`
	} `yaml:"DistributionConfig"`
}

// origin is where a site's files are.
type origin struct {
	ID     string `yaml:"Id"`
	Domain string `yaml:"DomainName"`
	Access string `yaml:"OriginAccessControlId"`
}

// behavior is what becomes of requests for some paths.
type behavior struct {
	Pattern   string              `yaml:"PathPattern"` // empty for all others
	Origin    string              `yaml:"TargetOriginId"`
	Viewers   string              `yaml:"ViewerProtocolPolicy"`
	Methods   []string            `yaml:"AllowedMethods"`
	Compress  bool                `yaml:"Compress"`
	Caching   string              `yaml:"CachePolicyId"`
	Headers   string              `yaml:"ResponseHeadersPolicyId"`
	Functions []map[string]string `yaml:"FunctionAssociations"`
}

// errorPage is what readers get in the place of an error of an origin.
type errorPage struct {
	Of      int    `yaml:"ErrorCode"`
	Answer  int    `yaml:"ResponseCode"`
	Page    string `yaml:"ResponsePagePath"`
	Seconds int    `yaml:"ErrorCachingMinTTL"`
}

// The site serves both buckets, each by its own path, with the headers that are
// sent on a laptop, and to TLS only.
func TestSiteAsDecided(t *testing.T) {
	site := properties[site](t, resolve(t, nil), "Distribution").Config
	want := []origin{
		{ID: "pages", Domain: "prod-PagesBucket.s3.eu-central-1.amazonaws.com", Access: "prod-OriginAccess"},
		{ID: "log", Domain: "prod-LogBucket.s3.eu-central-1.amazonaws.com", Access: "prod-OriginAccess"},
	}
	if !slices.Equal(site.Origins, want) {
		t.Errorf("the origins are %+v", site.Origins)
	}
	if !site.Enabled || !site.IPv6 || site.Root != "index.html" || site.HTTP != "http2and3" || site.AccessLogs != nil || len(site.Aliases) > 0 || site.Certificate["AcmCertificateArn"] != "" {
		t.Errorf("the site %+v", site)
	}
	for _, code := range []int{403, 404} {
		t.Run(fmt.Sprint(code), func(t *testing.T) { // who may not list a bucket is told 403 of what is not there
			if !slices.Contains(site.Errors, errorPage{Of: code, Answer: 404, Page: "/404.html", Seconds: 5}) {
				t.Errorf("a %d becomes one of %+v", code, site.Errors)
			}
		})
	}
	if site.Default.Origin != "pages" || site.Default.Headers != "prod-PageHeaders" || len(site.Behaviors) != 2 {
		t.Errorf("the default is %+v", site.Default)
	}
	for pattern, origin := range map[string]string{"/results/*": "pages", "/" + serve.LogFolder + "*": "log"} {
		t.Run(pattern, func(t *testing.T) {
			if !slices.ContainsFunc(site.Behaviors, func(b behavior) bool {
				return b.Pattern == pattern && b.Origin == origin && b.Headers == "prod-FileHeaders"
			}) {
				t.Errorf("%s is not served from %s for all: %+v", pattern, origin, site.Behaviors)
			}
		})
	}
	paths := map[string]string{"EventType": "viewer-request", "FunctionARN": "arn:aws:cloudfront::123456789012:function/prod-paths-eu-central-1"}
	for _, b := range append(site.Behaviors, site.Default) {
		if b.Viewers != "redirect-to-https" || !b.Compress || b.Caching != cachingOptimized || !slices.Equal(b.Methods, []string{"GET", "HEAD"}) {
			t.Errorf("the behavior %+v", b)
		}
		if needs := b.Pattern != "/results/*"; needs != (len(b.Functions) == 1 && maps.Equal(b.Functions[0], paths)) {
			t.Errorf("%q has the functions %q", b.Pattern, b.Functions)
		}
	}
}

// How CloudFront signs its requests to a bucket.
func TestOriginAccessAsDecided(t *testing.T) {
	got := properties[map[string]map[string]string](t, resolve(t, nil), "OriginAccess")["OriginAccessControlConfig"]
	want := map[string]string{"Name": "prod-site-eu-central-1", "OriginAccessControlOriginType": "s3", "SigningBehavior": "always", "SigningProtocol": "sigv4"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// headers are a policy of headers that CloudFront adds to answers.
type headers struct {
	Config struct {
		CORS struct {
			Origins     listed `yaml:"AccessControlAllowOrigins"` // whose scripts may read the answers
			Methods     listed `yaml:"AccessControlAllowMethods"`
			Credentials bool   `yaml:"AccessControlAllowCredentials"`
			Override    bool   `yaml:"OriginOverride"`
		} `yaml:"CorsConfig"`
		Security map[string]map[string]string `yaml:"SecurityHeadersConfig"`
		Custom   struct {
			Items []map[string]string `yaml:"Items"`
		} `yaml:"CustomHeadersConfig"`
	} `yaml:"ResponseHeadersPolicyConfig"`
}

type listed struct {
	Items []string `yaml:"Items"`
}

// values are the headers as readers get them.
func (h headers) values(t *testing.T) map[string]string {
	t.Helper()
	security, custom := h.Config.Security, h.Config.Custom.Items
	for name, setting := range security {
		if setting["Override"] != "true" {
			t.Errorf("%s leaves what the origin says", name)
		}
	}
	values := map[string]string{
		"Content-Security-Policy": security["ContentSecurityPolicy"]["ContentSecurityPolicy"],
		"X-Frame-Options":         security["FrameOptions"]["FrameOption"],
		"Referrer-Policy":         security["ReferrerPolicy"]["ReferrerPolicy"],
	}
	if security["ContentTypeOptions"] != nil {
		values["X-Content-Type-Options"] = "nosniff"
	}
	if tls := security["StrictTransportSecurity"]; tls["IncludeSubdomains"] == "true" {
		values["Strict-Transport-Security"] = "max-age=" + tls["AccessControlMaxAgeSec"] + "; includeSubDomains"
	}
	for _, header := range custom {
		if header["Override"] != "true" {
			t.Errorf("%s leaves what the origin says", header["Header"])
		}
		values[header["Header"]] = header["Value"]
	}
	return values
}

// The headers are those of the local server.
func TestHeadersAsServed(t *testing.T) {
	stack := resolve(t, nil)
	policies := ofType(stack, "AWS::CloudFront::ResponseHeadersPolicy")
	if want := []string{"FileHeaders", "PageHeaders"}; !slices.Equal(policies, want) {
		t.Fatalf("there are the policies %q, want %q", policies, want)
	}
	for _, id := range policies {
		headers := properties[headers](t, stack, id)
		if values := headers.values(t); !maps.Equal(values, serve.Headers) {
			t.Errorf("%s has %v, the local server sends %v", id, values, serve.Headers)
		}
		origins, methods := headers.Config.CORS.Origins.Items, headers.Config.CORS.Methods.Items
		if forAll := id == "FileHeaders"; forAll != slices.Equal(origins, []string{"*"}) || forAll != slices.Equal(methods, []string{"GET", "HEAD"}) {
			t.Errorf("%s lets %q with %q", id, origins, methods)
		}
		if cors := headers.Config.CORS; cors.Credentials || cors.Override != (id == "FileHeaders") {
			t.Errorf("%s: %+v, want not cors.Credentials and cors.Override = %v", id, cors, (id == "FileHeaders"))
		}
	}
	if !serve.IsForAll("results/index.json") || !serve.IsForAll("log/checkpoint") || serve.IsForAll("en/index.html") {
		t.Error("the local server lets others read something else")
	}
}

// A domain comes with its certificate, and access logs with their bucket.
func TestSiteOfADomain(t *testing.T) {
	const certificate = "arn:aws:acm:us-east-1:123456789012:certificate/0a-1b"
	stack := resolve(t, map[string]string{"SiteDomain": "results.example.com", "SiteCertificate": certificate, "SiteLogBucket": "logs.s3.amazonaws.com"})
	site := properties[site](t, stack, "Distribution").Config
	want := map[string]string{"AcmCertificateArn": certificate, "MinimumProtocolVersion": "TLSv1.2_2021", "SslSupportMethod": "sni-only"}
	if !slices.Equal(site.Aliases, []string{"results.example.com"}) || !maps.Equal(site.Certificate, want) ||
		site.AccessLogs["Bucket"] != "logs.s3.amazonaws.com" || site.AccessLogs["IncludeCookies"] != "false" {
		t.Errorf("%+v", site)
	}
}

// Only the site reads the buckets, and it only reads.
func TestBucketsAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	if pages := properties[bucket](t, stack, "PagesBucket"); pages.Locked || pages.Versioning != nil {
		t.Errorf("what can be made again is kept: %+v", pages)
	}
	checkBucket(t, stack, "PagesBucket")
	cloudFront := map[string]any{"Service": "cloudfront.amazonaws.com"}
	bySite := map[string]map[string]texts{"StringEquals": {"AWS:SourceArn": {"arn:aws:cloudfront::123456789012:distribution/prod-Distribution"}}}
	policies := ofType(stack, "AWS::S3::BucketPolicy")
	if len(policies) != 2 {
		t.Errorf("there are the policies %q", policies)
	}
	for _, id := range policies {
		allows, statements := 0, policyOf(t, stack, id, "PolicyDocument")
		for _, statement := range statements {
			if statement.Effect != "Allow" {
				continue
			}
			allows++
			if !reflect.DeepEqual(statement.Principal, cloudFront) || !slices.Equal(statement.Actions, texts{"s3:GetObject"}) || !reflect.DeepEqual(statement.Conditions, bySite) {
				t.Errorf("%s allows %+v", id, statement)
			}
		}
		if allows != 1 || !slices.ContainsFunc(statements, func(s statement) bool {
			return s.Effect == "Deny" && slices.Equal(s.Conditions["Bool"]["aws:SecureTransport"], texts{"false"}) && slices.Equal(s.Actions, texts{"s3:*"})
		}) {
			t.Errorf("%s: %+v", id, statements)
		}
	}
}

// The function of CloudFront strips the log's folder from paths.
func TestSitePaths(t *testing.T) {
	f := properties[struct {
		Config  map[string]string `yaml:"FunctionConfig"`
		Code    string            `yaml:"FunctionCode"`
		Publish bool              `yaml:"AutoPublish"`
	}](t, resolve(t, nil), "SitePaths")
	if f.Config["Runtime"] != "cloudfront-js-2.0" || !f.Publish || !strings.Contains(f.Code, "request.uri.startsWith('/"+serve.LogFolder+"')") || !strings.Contains(f.Code, "request.uri.slice('/log'.length)") {
		t.Errorf("%+v", f)
	}
}

// The site follows the log every minute; a run that failed is not repeated, for the
// next one does what it left.
func TestPagesAsDecided(t *testing.T) {
	checkEveryMinute(t, resolve(t, nil), "pages")
}
