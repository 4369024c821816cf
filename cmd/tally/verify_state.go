package main

import (
	"fmt"
	"os"
	"path/filepath"

	"tally/lib/archive/entry"
)

// noState is the value of --state for remembering nothing.
const noState = "none"

// stateFiles returns the files that remember a log. By default there is one for each
// key that is named: logs of one name that two keys sign are two logs, and while a
// key is being replaced both files remember the one log.
func (f *verifyFlags) stateFiles(origin string) (files []string, err error) {
	switch f.state {
	case noState:
		return nil, nil
	case "":
		folder, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("there is no place to remember what was verified: name a file with --state, or write --state none")
		}
		for _, key := range f.keys {
			files = append(files, filepath.Join(folder, "tally", "verified", entry.HashOf(origin + "\n" + textOf(key))[:16]+".json"))
		}
		return files, nil
	}
	return []string{f.state}, nil
}
