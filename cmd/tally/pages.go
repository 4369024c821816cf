package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/verify"
	"tally/lib/site/build"
	"tally/lib/site/pages"
	"tally/lib/site/serve"
)

const pagesHelp = `pages makes the public site from a log, looks whether a site is the one that
its log says, serves a copy of one on this machine, and makes a Parquet data
set of its days.

The site is a function of the log: whoever has the log's public key makes
the same files as who runs it.`

const pagesBuildHelp = `build makes the public site from a log, into a folder: pages for people, and
files for machines under results/. LOG is the log's address, the folder of a
copy, or its bucket (s3://bucket, by your AWS credentials). Every entry is
proved by the signed checkpoint. A folder that has the site already is
brought up to the log, if the log is the same, grown.

With --check it makes the site aside, and compares with it the one in a
folder, at an address, or in a bucket, as far as that one has come. Files
that are missing or that differ are listed in the order of their names, byte
by byte, and the first is named with the refusal; in a folder also files of
which the log says nothing. A site that lacks entries of the log is behind,
and refused; one that is kept up every minute often is, by a few:
--allow-behind says by how many it may be. The pages of another version of
tally may look otherwise: --results compares what is for machines alone.

Exit codes: 0 when the site is made, or is what the log says; 1 when reading
or writing failed; 2 for a misuse; 3 the checkpoint or its signature is
wrong; 4 the log is not the one that the site was made from; 5 a file of the
log is not that of its signed tree; 6 an entry can't be shown by this
version; 11 the site is not what the log says, or is behind it.`

const pagesBuildExample = `  tally pages build --log https://tally.example/log --key example.key --to site
  tally pages build --log copy/log --key example.key --check https://tally.example --allow-behind 500`

const pagesServeHelp = `serve serves the public site in a folder on this machine, and the log under
log/, with the headers that CloudFront sends, until it is interrupted.
FOLDER is that of the site, or one that has both, called site and log, as
the demo leaves them.`

func newPagesCommand(app *app) *cobra.Command {
	return group(&cobra.Command{Use: "pages", Short: "the public site: make it, check it, serve it; its data as Parquet", Long: pagesHelp},
		newPagesBuildCommand(app), newPagesServeCommand(app), newPagesParquetCommand(app))
}

// pagesFlags are the flags of pages build.
type pagesFlags struct {
	logFlags
	log, to, check  string
	results, asJSON bool
	allowBehind     int64
}

func newPagesBuildCommand(app *app) *cobra.Command {
	f := &pagesFlags{}
	command := &cobra.Command{
		Use: "build", Short: "make the public site from a log, or check one", Long: pagesBuildHelp, Example: pagesBuildExample, Args: noMore,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case f.log == "":
				return errors.New("name the log with --log: its address, the folder of a copy, or s3:// and its bucket")
			case (f.to == "") == (f.check == ""):
				return errors.New("name the folder to make the site in with --to, or the site to compare with --check")
			case f.results && f.check == "":
				return errors.New("--results goes with --check")
			case f.check == "" && command.Flags().Changed("allow-behind"):
				return errors.New("--allow-behind goes with --check")
			case f.allowBehind < 0:
				return errors.New("--allow-behind is a number of entries, 0 or more")
			}
			options, err := f.options()
			if err != nil {
				return err
			}
			ctx, stop := interruptible(command)
			defer stop()
			if f.check != "" {
				return f.compare(ctx, app, options)
			}
			return f.build(ctx, app, options)
		},
	}
	f.add(command)
	flags := command.Flags()
	flags.StringVar(&f.log, "log", "", "the log's address, the folder of a copy, or s3:// and its bucket")
	flags.StringVar(&f.to, "to", "", "`folder` to make the site in")
	flags.StringVar(&f.check, "check", "", "compare the `site` in a folder, at an address or in a bucket")
	flags.Int64Var(&f.allowBehind, "allow-behind", 0, "with --check, how many of the log's newest `entries` the site may lack")
	flags.BoolVar(&f.results, "results", false, "compare only the files for machines")
	flags.BoolVar(&f.asJSON, "json", false, "write what it came to as one line of JSON")
	return command
}

// follower returns what makes the site in a folder from the log.
func (f *pagesFlags) follower(ctx context.Context, app *app, options verify.Params, into objects.Store) (*build.Follower, *bar, error) {
	log, err := app.openLog(ctx, f.log)
	if err != nil {
		return nil, nil, failed("opening the log", err)
	}
	var keys []string
	for _, key := range f.keys {
		keys = append(keys, textOf(key))
	}
	pages, err := pages.New(pages.Options{Origin: options.Origin, VerifierKeys: keys, LogURL: serve.LogFolder})
	if err != nil {
		return nil, nil, failed("making the site", err)
	}
	bar := &bar{app: app, start: time.Now()}
	return &build.Follower{Origin: options.Origin, Known: options.Known, Log: untrusted{from: log},
		Files: into, Site: pages, Record: &mismatchCount{},
		Logger: slog.New(pretty.NewLogHandler(app.err, slog.LevelError, false)), Stretch: build.DefaultStretch, Parallel: build.DefaultParallel, Progress: bar.show}, bar, nil
}

// untrusted is a log, or a site, as a stranger reads it.
type untrusted struct{ from verify.Source }

// Get implements follow.Source.
func (u untrusted) Get(ctx context.Context, path string) ([]byte, error) {
	data, err := u.from.Get(ctx, path)
	if errors.Is(err, verify.ErrMissing) {
		err = fmt.Errorf("%w: %w", objects.ErrNotFound, err)
	}
	return data, err
}

// mismatchCount counts files that never change and have other bytes.
type mismatchCount struct{ files atomic.Int64 }

var _ build.Recorder = (*mismatchCount)(nil)

// Behind implements follow.Recorder.
func (*mismatchCount) Behind(int64) {}

// Written implements follow.Recorder.
func (*mismatchCount) Written(int) {}

// Mismatch implements follow.Recorder.
func (u *mismatchCount) Mismatch(string) { u.files.Add(1) }

// build makes the site in a folder.
func (f *pagesFlags) build(ctx context.Context, app *app, options verify.Params) error {
	folder, err := objects.OpenScratch(f.to)
	if err != nil {
		return failed("making the site", err)
	}
	defer func() { _ = folder.Close() }() // each file was closed by itself
	follower, bar, err := f.follower(ctx, app, options, folder)
	if err != nil {
		return err
	}
	result, err := follower.Run(ctx)
	bar.erase()
	if err != nil {
		return siteFault("making the site", err)
	}
	if n := int(follower.Record.(*mismatchCount).files.Load()); n > 0 {
		return &refusedError{
			code: siteDiffers, what: fmt.Sprintf("%s in %s that never change are not what the log says", several(n, "file", "files"), f.to),
		}
	}
	if f.asJSON {
		return writeJSON(app.out, struct {
			Origin  string `json:"origin"`
			Size    int64  `json:"size"`
			Written int    `json:"written"`
		}{Origin: options.Origin, Size: result.Size, Written: result.Written})
	}
	return app.printf("log         %s, %s\nsite        %s, %s written\nlook at it  tally pages serve %s%s\n", options.Origin, several(int(result.Size), "entry", "entries"),
		f.to, several(result.Written, "file", "files"), f.to, f.besideLog())
}

// besideLog is the flag that serves the log beside the site, if it is a folder.
func (f *pagesFlags) besideLog() string {
	if about, err := os.Stat(f.log); err != nil || !about.IsDir() {
		return ""
	}
	return " --log " + f.log
}

// siteDiffers is the exit code of a site that is not what the log says, or is
// behind it. Those of a log are verify's.
const siteDiffers = 11

// siteFault says what is wrong with a log, or that something could not be read or
// written.
func siteFault(doing string, err error) error {
	classes := []struct {
		err   error
		class verify.Class
	}{
		{checkpoint.ErrSignature, verify.Signature}, {checkpoint.ErrForm, verify.Signature}, {checkpoint.ErrOrigin, verify.Signature},
		{build.ErrSetBack, verify.Consistency}, {build.ErrForked, verify.Consistency},
		{build.ErrUnlike, verify.Tree}, {build.ErrEntry, verify.Entries},
	}
	for _, c := range classes {
		if errors.Is(err, c.err) {
			return &refusedError{code: exitCodes[c.class], what: fmt.Sprintf("%s: %v", doing, err)}
		}
	}
	return failed(doing, err)
}

func newPagesServeCommand(app *app) *cobra.Command {
	var address, log string
	command := &cobra.Command{
		Use: "serve FOLDER", Short: "serve a site, and its log, on this machine", Long: pagesServeHelp,
		Example: "  tally pages serve site --log copy/log",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name the folder of a site")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			ctx, stop := interruptible(command)
			defer stop()
			return failed("serving the site", app.serveSite(ctx, address, args[0], log))
		},
	}
	command.Flags().StringVar(&address, "address", serveAddress, "`address` to listen at; port 0 takes any that is free")
	command.Flags().StringVar(&log, "log", "", "`folder` of the log, to be served under log/")
	return command
}

// Where the site is served unless told otherwise: by `tally local`, and by
// `tally pages serve`, so that both can run.
const (
	siteAddress  = "127.0.0.1:8081"
	serveAddress = "127.0.0.1:8082"
)

// bothIn returns the folders of a site and of its log. A folder may have both.
func bothIn(folder, log string) (string, string) {
	inside := filepath.Join(folder, siteFolder)
	if _, err := os.Stat(filepath.Join(inside, "index.html")); err != nil {
		return folder, log
	}
	if log == "" {
		if beside := filepath.Join(folder, logFolder); isFolder(beside) {
			log = beside
		}
	}
	return inside, log
}

func isFolder(path string) bool {
	about, err := os.Stat(path)
	return err == nil && about.IsDir()
}

// The folders of a site and of its log beside each other.
const (
	siteFolder = "site"
	logFolder  = "log"
)

// serveSite serves a site until ctx ends.
func (app *app) serveSite(ctx context.Context, address, folder, log string) error {
	folder, log = bothIn(folder, log)
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
		return fmt.Errorf("%s has no site: it has no index.html", folder)
	}
	files, err := serve.Open(folder, log)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it was only read
	server, url, err := serve.Listen(ctx, address, files)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken; choose another --address: %w", address, err)
	}
	if err != nil {
		return err
	}
	if err := app.printf("%s/\nEnd it with Ctrl-C.\n", url); err != nil {
		return errors.Join(err, server.Close())
	}
	<-ctx.Done()
	return server.Close()
}

// writeJSON writes a value as a line of JSON.
func writeJSON(w io.Writer, value any) error {
	text, err := jsonLine(value)
	if err != nil {
		return failed("writing the report", err)
	}
	return write(w, text)
}
