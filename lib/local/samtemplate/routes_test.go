package samtemplate_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// The API's routes are the operations of the OpenAPI document, no more and no
// fewer: what is not in it never reaches the function.
func TestRoutes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for path, methods := range document.Paths {
		for method := range methods {
			want = append(want, strings.ToUpper(method)+" "+path)
		}
	}
	function, _ := functionOf(resolve(t, nil), "api")
	for _, event := range function.Events {
		got = append(got, event.Properties.Method+" "+event.Properties.Path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("template.yaml has the routes\n%q\nthe document\n%q", got, want)
	}
}

// api is an HTTP API of API Gateway.
type api struct {
	Route struct {
		RatePerSecond int `yaml:"ThrottlingRateLimit"` // of all requests; above it they are answered 429
		Burst         int `yaml:"ThrottlingBurstLimit"`
	} `yaml:"DefaultRouteSettings"`
	Log          map[string]string `yaml:"AccessLogSettings"`
	FailsEarly   bool              `yaml:"FailOnWarnings"`
	OnlyByDomain bool              `yaml:"DisableExecuteApiEndpoint"` // not at the address that AWS gives it
}

// domain is a domain at which an API answers.
type domain struct {
	Name           string              `yaml:"DomainName"`
	Configurations []map[string]string `yaml:"DomainNameConfigurations"`
	ClientsTLS     map[string]string   `yaml:"MutualTlsAuthentication"`
}

// The API is throttled, logs no key, and asks for certificates where it is told to.
func TestAPIAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	plain, domains := properties[api](t, stack, "Api"), ofType(stack, "AWS::ApiGatewayV2::DomainName")
	if !plain.FailsEarly || plain.Route.RatePerSecond < 1 || plain.Route.Burst < 1 || plain.OnlyByDomain || len(domains) != 0 || stack.Outputs["ApiDomainTarget"] != "" {
		t.Fatalf("without a domain: %+v, %v, %v", plain, domains, stack.Outputs)
	}
	log := strings.NewReplacer("$context.", "").Replace(plain.Log["Format"])
	if !json.Valid([]byte(log)) || strings.Contains(strings.ToLower(log), "authoriz") || strings.Contains(log, "header") {
		t.Errorf("the access log is %s", log)
	}
	parameters := map[string]string{"ApiDomain": "api.example.com", "ApiCertificate": "arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c", "ApiRate": "50"}
	stack = resolve(t, parameters)
	want := domain{Name: "api.example.com", Configurations: []map[string]string{
		{"CertificateArn": parameters["ApiCertificate"], "EndpointType": "REGIONAL", "SecurityPolicy": "TLS_1_2"}}}
	if got := properties[domain](t, stack, "ApiDomainName"); !reflect.DeepEqual(got, want) {
		t.Errorf("the domain is %+v, want %+v", got, want)
	}
	mapping := map[string]string{"ApiId": "prod-api", "DomainName": "api.example.com", "Stage": "$default"}
	if got := properties[map[string]string](t, stack, "ApiDomainMapping"); !maps.Equal(got, mapping) {
		t.Errorf("the domain leads to %v, want %v", got, mapping)
	}
	if named := properties[api](t, stack, "Api"); !named.OnlyByDomain || named.Route.RatePerSecond != 50 {
		t.Errorf("%+v, want named.OnlyByDomain and named.Route.RatePerSecond = 50", named)
	}
	if got := stack.Outputs["ApiDomainTarget"]; got != "api.example.com.execute-api.eu-central-1.amazonaws.com" {
		t.Errorf("the domain has to point at %q", got)
	}
	parameters["ApiTruststore"] = "s3://certificates/clients.pem"
	if got := properties[domain](t, resolve(t, parameters), "ApiDomainName").ClientsTLS["TruststoreUri"]; got != "s3://certificates/clients.pem" {
		t.Errorf("clients' certificates are looked up in %q", got)
	}
}
