package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tally/lib/archive/signing"
	"tally/lib/site/serve"
)

// The variables of functions that name the buckets of the public log and of the
// public site, the log's key, and the log itself.
const (
	bucketVariable = "TALLY_LOG_BUCKET"
	siteVariable   = "TALLY_PAGES_BUCKET"
	keyVariable    = "TALLY_LOG_KEY"
	originVariable = "TALLY_LOG_ORIGIN"
)

// ErrNotEmpty says that a folder for the public log or the site has something in it.
var ErrNotEmpty = errors.New("it is not empty")

// mustBeEmpty refuses a folder that has something in it: the table begins empty, and
// a log or a site that is further than the table is never written to.
func mustBeEmpty(what, folder string) error {
	if folder == "" {
		return nil // a temporary one is made
	}
	inside, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is made
	case err != nil:
		return fmt.Errorf("looking into the folder for the %s: %w", what, err)
	case len(inside) > 0:
		return fmt.Errorf("the folder for the %s is %s: %w", what, folder, ErrNotEmpty)
	}
	return nil
}

// makeLog puts folders in the place of the buckets of the log and the site, and a
// file in the place of the log's key: they can be looked at, and need no emulator.
func (s *Stack) makeLog(logFolder, siteFolder string) error {
	if logFolder == "" || siteFolder == "" {
		made, err := os.MkdirTemp("", "tally-log-")
		if err != nil {
			return fmt.Errorf("making a folder for the log: %w", err)
		}
		s.temporary = made
	}
	s.LogFolder, s.SiteFolder = logFolder, siteFolder
	if s.LogFolder == "" {
		s.LogFolder = filepath.Join(s.temporary, "log")
	}
	if s.SiteFolder == "" {
		s.SiteFolder = filepath.Join(s.temporary, "site")
	}
	for _, folder := range []string{s.LogFolder, s.SiteFolder} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("making a folder for the log: %w", err)
		}
	}
	key := filepath.Clean(s.LogFolder) + ".key"
	for _, f := range s.Resolved.Functions {
		variables := f.Environment.Variables
		if _, has := variables[bucketVariable]; has {
			variables[bucketVariable] = inFile + s.LogFolder
			variables[keyVariable] = inFile + key
			// Several functions need the key, perhaps at once.
			if _, err := signing.FromFile(key, variables[originVariable]); err != nil {
				return err
			}
		}
		if _, has := variables[siteVariable]; has {
			variables[siteVariable] = inFile + s.SiteFolder
		}
	}
	return nil
}

// inFile begins the name of what is on this machine rather than in AWS.
const inFile = "file:"

// serveSite serves the site and the log at an address, as CloudFront would.
func (s *Stack) serveSite(ctx context.Context, address string) (err error) {
	if s.files, err = serve.Open(s.SiteFolder, s.LogFolder); err != nil {
		return err
	}
	if address == "" {
		address = "127.0.0.1:0"
	}
	s.site, s.Site, err = serve.Listen(ctx, address, s.files)
	return err
}

// stopSite ends the serving of the site. Readers are cut off.
func (s *Stack) stopSite() {
	if s.site != nil {
		_ = s.site.Close() // nothing can be done about a listener that does not close
	}
	if s.files != nil {
		_ = s.files.Close() // the folders were only read
	}
}

// dropLog removes a temporary log and site.
func (s *Stack) dropLog() {
	if s.temporary == "" {
		return
	}
	if err := os.RemoveAll(s.temporary); err != nil {
		s.log.Warn("a temporary folder stays", "error", err)
	}
}
