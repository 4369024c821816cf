package objects_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
)

var header = objects.Header{ContentType: "text/plain", CacheControl: objects.Mutable}

// TestContract holds every store to the contract.
func TestContract(t *testing.T) {
	stores := map[string]func(t *testing.T) objects.Store{
		"fake": func(*testing.T) objects.Store { return fakeobjects.New() },
		"folder": func(t *testing.T) objects.Store {
			f, err := objects.OpenFolder(filepath.Join(t.TempDir(), "a", "b"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
			return f
		},
		"scratch folder": func(t *testing.T) objects.Store {
			f, err := objects.OpenScratch(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
			return f
		},
		"S3": func(t *testing.T) objects.Store { s, _, _ := bucket(t); return s },
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { contract(t, open(t)) })
	}
}

// bucket returns a store in an emulated bucket, its client, and its name.
func bucket(t *testing.T) (*s3store.Store, *s3.Client, string) {
	t.Helper()
	db := dynamotest.Kumo(t)
	client := s3.NewFromConfig(db.Config(), func(o *s3.Options) { o.UsePathStyle = true })
	name := db.Prefix + "log"
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatal(err)
	}
	return s3store.New(client, name), client, name
}

func contract(t *testing.T, s objects.Store) {
	ctx := t.Context()
	is := func(key, want string) string {
		t.Helper()
		data, tag, err := s.Get(ctx, key)
		if err != nil || string(data) != want || tag == "" {
			t.Fatalf("%s has %q, tag %q, %v, want %q", key, data, tag, err, want)
		}
		return tag
	}
	fails := func(err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
	}
	_, _, err := s.Get(ctx, "tile/0/000")
	fails(err, objects.ErrNotFound)
	fails(s.PutIfAbsent(ctx, "tile/0/000", []byte("one"), header), nil)
	fails(s.PutIfAbsent(ctx, "tile/0/000", []byte("one"), header), objects.ErrExists)
	fails(s.PutIfAbsent(ctx, "tile/0/000", []byte("two"), header), objects.ErrExists)
	is("tile/0/000", "one")
	_, _, err = s.Get(ctx, "tile/0")
	fails(err, objects.ErrNotFound)
	fails(s.PutIfAbsent(ctx, "tile/0/000.p/1", []byte("partial"), header), nil)

	fails(s.PutIfMatch(ctx, "checkpoint", []byte("1"), "another tag", header), objects.ErrChanged)
	fails(s.PutIfMatch(ctx, "checkpoint", []byte("1"), "", header), nil)
	first := is("checkpoint", "1")
	fails(s.PutIfMatch(ctx, "checkpoint", []byte("2"), "", header), objects.ErrChanged)
	fails(s.PutIfMatch(ctx, "checkpoint", []byte("2"), first, header), nil)
	second := is("checkpoint", "2")
	fails(s.PutIfMatch(ctx, "checkpoint", []byte("3"), first, header), objects.ErrChanged)
	if first == second {
		t.Error("two contents have one tag")
	}
	large := bytes.Repeat([]byte("x"), 1<<20)
	fails(s.PutIfAbsent(ctx, "large", large, header), nil)
	is("large", string(large))
}

// TestS3Headers pins what HTTP readers are told.
func TestS3Headers(t *testing.T) {
	s, client, name := bucket(t)
	if err := s.PutIfAbsent(t.Context(), "tile/0/000", []byte("x"), objects.Header{ContentType: "application/octet-stream", CacheControl: objects.Immutable}); err != nil {
		t.Fatal(err)
	}
	out, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &name, Key: aws.String("tile/0/000")})
	if err != nil || aws.ToString(out.ContentType) != "application/octet-stream" {
		t.Fatalf("%v, %v", aws.ToString(out.ContentType), err)
	}
}

func TestFolderStaysInside(t *testing.T) {
	folder := t.TempDir()
	f, err := objects.OpenFolder(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.PutIfAbsent(t.Context(), "../outside", []byte("x"), header); err == nil {
		t.Error("a file was written outside of the folder")
	}
	if _, err := os.Stat(filepath.Join(folder, "outside")); err == nil {
		t.Error("a file is outside of the folder")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
