package local

import (
	"fmt"
	"os"
	"path/filepath"
)

// The variables of a function that name the public log's bucket and key.
const (
	bucketVariable = "TALLY_LOG_BUCKET"
	keyVariable    = "TALLY_LOG_KEY"
)

// makeLog puts a folder in the place of the log's bucket, and a file in the place
// of its key: they can be looked at, and need no emulator.
func (s *Stack) makeLog(folder string) error {
	if folder == "" {
		made, err := os.MkdirTemp("", "tally-log-")
		if err != nil {
			return fmt.Errorf("making a folder for the log: %w", err)
		}
		folder, s.temporary = filepath.Join(made, "log"), made
	}
	s.LogFolder = folder
	for _, f := range s.Resolved.Functions {
		if _, has := f.Environment[bucketVariable]; has {
			f.Environment[bucketVariable] = "file:" + folder
			f.Environment[keyVariable] = "file:" + filepath.Clean(folder) + ".key"
		}
	}
	return nil
}

// dropLog removes a temporary log.
func (s *Stack) dropLog() {
	if s.temporary == "" {
		return
	}
	if err := os.RemoveAll(s.temporary); err != nil {
		s.log.Warn("a temporary folder stays", "error", err)
	}
}
