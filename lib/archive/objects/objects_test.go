package objects_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/tiles"
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
func bucket(t *testing.T) (*s3store.Bucket, *s3.Client, string) {
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
	fails(s.PutIfAbsent(ctx, "tile/0/000.p/2", []byte("partial"), header), nil)
	fails(s.PutIfAbsent(ctx, "tile/0/001.p/2", []byte("partial"), header), nil)
	fails(s.Drop(ctx, "tile/0/000.p"), nil)
	for _, dropped := range []string{"tile/0/000.p/1", "tile/0/000.p/2"} {
		_, _, err = s.Get(ctx, dropped)
		fails(err, objects.ErrNotFound)
	}
	is("tile/0/000", "one")
	is("tile/0/001.p/2", "partial")
	fails(s.Drop(ctx, "tile/0/000.p"), nil)
	fails(s.Drop(ctx, "tile/9"), nil)
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
		t.Fatalf("%v, %v, want no error and aws.ToString(out.ContentType) = \"application/octet-stream\"",
			aws.ToString(out.ContentType), err)
	}
}

// asked keeps what S3 is asked to write and to delete.
type asked struct {
	s3store.Client
	put     *s3.PutObjectInput
	deletes []string
}

func (a *asked) PutObject(_ context.Context, in *s3.PutObjectInput, _ ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	a.put = in
	return &s3.PutObjectOutput{}, nil
}

func (a *asked) ListObjectsV2(_ context.Context, in *s3.ListObjectsV2Input, _ ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	return &s3.ListObjectsV2Output{Contents: []types.Object{{Key: aws.String(*in.Prefix + "1")}, {Key: aws.String(*in.Prefix + "2")}}}, nil
}

func (a *asked) DeleteObjects(_ context.Context, in *s3.DeleteObjectsInput, _ ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error) {
	for _, object := range in.Delete.Objects {
		if a.deletes = append(a.deletes, *object.Key); object.VersionId != nil {
			return nil, errors.New("a version is to be deleted")
		}
	}
	return &s3.DeleteObjectsOutput{Errors: []types.Error{{Key: in.Delete.Objects[0].Key, Code: aws.String("AccessDenied")}}}, nil
}

// Files that are needed for days only are written with a lock of their own; all others with
// that of their bucket. What is dropped stays as a version, and what can't be is told.
func TestS3Passing(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	passing := objects.Header{ContentType: "text/plain", Passing: true}
	for _, test := range []struct {
		header objects.Header
		mode   types.ObjectLockMode
		until  *time.Time
	}{{passing, types.ObjectLockModeCompliance, aws.Time(now.Add(7 * 24 * time.Hour))}, {passing, "", nil}, {header, types.ObjectLockModeCompliance, nil}} {
		client := &asked{}
		s := s3store.New(client, "log")
		s.Passing = s3store.Retention{Mode: test.mode, For: 7 * 24 * time.Hour, Now: func() time.Time { return now }}
		if err := s.PutIfAbsent(t.Context(), "tile/0/000.p/1", []byte("x"), test.header); err != nil {
			t.Fatal(err)
		}
		got := client.put.ObjectLockRetainUntilDate
		if (got == nil) != (test.until == nil) || got != nil && (!got.Equal(*test.until) || client.put.ObjectLockMode != test.mode) {
			t.Errorf("%+v under %q is locked in mode %q until %v, want %v", test.header, test.mode, client.put.ObjectLockMode, got, test.until)
		}
		if err := s.Drop(t.Context(), "tile/0/000.p"); err == nil || !slices.Equal(client.deletes, []string{"tile/0/000.p/1", "tile/0/000.p/2"}) {
			t.Errorf("dropped are %q, %v", client.deletes, err)
		}
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

// openFolder opens the store in a new folder, and returns both.
func openFolder(t *testing.T) (*objects.Folder, string) {
	t.Helper()
	path := t.TempDir()
	f, err := objects.OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, path
}

// Someone else may have filled a folder: what can't be a file of its kind is neither read
// nor written over, and nobody waits for it.
func TestFolderOfAnother(t *testing.T) {
	long := bytes.Repeat([]byte("x"), int(tiles.MaxBytes(checkpoint.Path))+1)
	for name, test := range map[string]struct {
		lay  func(path string) error
		want error
	}{
		"longer than any of its kind": {func(path string) error { return os.WriteFile(path, long, 0o600) }, objects.ErrTooLong},
		"a pipe":                      {func(path string) error { return syscall.Mkfifo(path, 0o600) }, objects.ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			f, path := openFolder(t)
			if err := test.lay(filepath.Join(path, checkpoint.Path)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := f.Get(t.Context(), checkpoint.Path); !errors.Is(err, test.want) {
				t.Errorf("reading it: %v, want %v", err, test.want)
			}
			if err := f.PutIfMatch(t.Context(), checkpoint.Path, []byte("new"), "", header); !errors.Is(err, test.want) {
				t.Errorf("writing over it: %v, want %v", err, test.want)
			}
		})
	}
}

// A file lies where a folder is needed: what is to be written says so, and the file stays.
func TestFileInTheWay(t *testing.T) {
	f, path := openFolder(t)
	if err := os.WriteFile(filepath.Join(path, "tile"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.PutIfAbsent(t.Context(), "tile/0/000", []byte("x"), header); err == nil {
		t.Error("a file was written under a file, want an error")
	}
	if data, _, err := f.Get(t.Context(), "tile"); err != nil || string(data) != "a file" {
		t.Errorf("the file in the way has %q, %v, want it as it was", data, err)
	}
	if _, err := objects.OpenFolder(filepath.Join(path, "tile")); err == nil {
		t.Error("a file was opened as the folder of a store, want an error")
	}
}
