package samtemplate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"tally/lib/local/samtemplate"
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
	function, _ := resolve(t, nil).Function("api")
	for _, route := range function.Routes {
		got = append(got, route.Method+" "+route.Path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("template.yaml has the routes\n%q\nthe document\n%q", got, want)
	}
}

// The API is throttled, logs no key, and asks for certificates where it is told.
func TestAPIAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	plain := stack.APIs
	if len(plain) != 1 || plain[0].RatePerSecond < 1 || plain[0].Burst < 1 || plain[0].OnlyByDomain || len(stack.Domains) != 0 || stack.Outputs["ApiDomainTarget"] != "" {
		t.Fatalf("without a domain: %+v, %+v, %v", plain, stack.Domains, stack.Outputs)
	}
	log := strings.NewReplacer("$context.", "").Replace(plain[0].AccessLog)
	if !json.Valid([]byte(log)) || strings.Contains(strings.ToLower(log), "authoriz") || strings.Contains(log, "header") {
		t.Errorf("the access log is %s", log)
	}
	parameters := map[string]string{"ApiDomain": "api.example.com", "ApiCertificate": "arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c", "ApiRate": "50"}
	named := resolve(t, parameters)
	want := samtemplate.Domain{
		Resource: samtemplate.Resource{ID: "ApiDomainName", Name: "api.example.com"},
		API:      named.APIs[0].Name, Certificate: parameters["ApiCertificate"], SecurityPolicy: "TLS_1_2",
	}
	if len(named.Domains) != 1 || named.Domains[0] != want {
		t.Errorf("domains %+v, want %+v", named.Domains, want)
	}
	if !named.APIs[0].OnlyByDomain || named.APIs[0].RatePerSecond != 50 {
		t.Errorf("%+v", named.APIs[0])
	}
	if got := named.Outputs["ApiDomainTarget"]; got != "api.example.com.execute-api.eu-central-1.amazonaws.com" {
		t.Errorf("the domain has to point at %q", got)
	}
	parameters["ApiTruststore"] = "s3://certificates/clients.pem"
	if got := resolve(t, parameters).Domains[0].Truststore; got != "s3://certificates/clients.pem" {
		t.Errorf("clients' certificates are looked up in %q", got)
	}
}
