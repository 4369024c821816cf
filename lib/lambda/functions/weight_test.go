package functions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/signing"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/store"
)

// service begins the clients of AWS's services.
const service = "github.com/aws/aws-sdk-go-v2/service/"

// shipped is the go command as functions/build.mk has it.
func shipped(t *testing.T, verb string, arguments ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{verb, "-tags", "lambda.norpc"}, arguments...)...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %v: %s", command.Args, err, &said)
	}
	return out.Bytes()
}

// services are the services of AWS of which each function links the client.
func services(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for decoder := json.NewDecoder(bytes.NewReader(shipped(t, "list", "-json=ImportPath,Deps", "tally/functions/..."))); decoder.More(); {
		var p struct {
			ImportPath string
			Deps       []string
		}
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("reading what go list says: %v", err)
		}
		name := path.Base(p.ImportPath)
		for _, dependency := range p.Deps {
			if client, is := strings.CutPrefix(dependency, service); is && !strings.Contains(client, "/") {
				found[name] = append(found[name], client)
			}
		}
	}
	return found
}

// requests are the interfaces of the SDK's clients that tally has, by service: what it asks of each.
var requests = map[string][]reflect.Type{
	"dynamodb": {reflect.TypeFor[store.DynamoDB]()},
	"kms":      {reflect.TypeFor[signing.KMS]()},
	"s3":       {reflect.TypeFor[s3store.Client]()},
	"sqs":      {reflect.TypeFor[sqsbatch.SQSClient](), reflect.TypeFor[sqsqueue.SendClient](), reflect.TypeFor[sqsqueue.CountClient]()},
}

// empty is a Lambda that makes the requests of these services and does nothing with the answers.
func empty(t *testing.T, services []string) string {
	t.Helper()
	var imports, calls strings.Builder
	for _, name := range services {
		if requests[name] == nil {
			t.Fatalf("what does tally ask of %s? Add the interface of its client to requests", name)
		}
		fmt.Fprintf(&imports, "\t%q\n", service+name)
		for _, client := range requests[name] {
			for method := range client.Methods() {
				fmt.Fprintf(&calls, "\t\t%s.NewFromConfig(config).%s(ctx, &%s.%sInput{})\n", name, method.Name, name, method.Name)
			}
		}
	}
	return `package main

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
` + imports.String() + `)

func main() {
	config := aws.Config{Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: awshttp.NewBuildableClient()}
	lambda.Start(func(ctx context.Context, _ json.RawMessage) error {
` + calls.String() + `		return nil
	})
}
`
}

// sizes builds every function as it is shipped and, in the same run, an empty one beside
// each, and returns the sizes of all.
func sizes(t *testing.T) (own, beside map[string]int64) {
	t.Helper()
	folder, out := t.TempDir(), t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}} // the files are in no folder of ours
	built := []string{"-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-overlay", filepath.Join(folder, "overlay.json"), "-o", out, "tally/functions/..."}
	linked := services(t)
	for name, clients := range linked {
		file := filepath.Join(folder, name+".go")
		overlay.Replace[filepath.Join(root, "functions", "empty-"+name, "main.go")] = file
		if err := os.WriteFile(file, []byte(empty(t, clients)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "overlay.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	shipped(t, "build", built...)
	own, beside = map[string]int64{}, map[string]int64{}
	for name := range linked {
		for prefix, sizes := range map[string]map[string]int64{"": own, "empty-": beside} {
			file, err := os.Stat(filepath.Join(out, prefix+name))
			if err != nil {
				t.Fatal(err)
			}
			sizes[name] = file.Size()
		}
	}
	return own, beside
}

// maxWeight is how many times as large as an empty function with the same clients a function
// may be at most: a cold start loads all of it.
const maxWeight = 1.2

// slack is how far a size may be from the one that testdata has.
const slack = 0.03

func TestWeights(t *testing.T) {
	own, beside := sizes(t)
	var now strings.Builder
	for _, name := range slices.Sorted(maps.Keys(own)) {
		weight := float64(own[name]) / float64(beside[name])
		if weight > maxWeight {
			t.Errorf("%s has %d bytes, %.2f times as many as an empty function with clients of the same services; at most %.2f are allowed: what does it link?",
				name, own[name], weight, maxWeight)
		}
		fmt.Fprintf(&now, "%s %d %.2f\n", name, own[name], weight)
	}
	if *update {
		if err := os.WriteFile(sizesFile, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pinned, err := os.ReadFile(sizesFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range own {
		_, rest, _ := strings.Cut(string(pinned), name+" ")
		var was int64
		if _, err := fmt.Sscan(rest, &was); err != nil || math.Abs(float64(size-was)) > slack*float64(was) {
			t.Errorf("%s has %d bytes, and had %d: if it has to change, go test ./lib/lambda/functions -run TestWeights -update", name, size, was)
		}
	}
}

// sizesFile has the stripped size of each function for linux/arm64, and how many times that
// of an empty one it is.
const sizesFile = "testdata/sizes.txt"
