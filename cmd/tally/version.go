package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// release is the version of tally, the newest of CHANGELOG.md.
const release = "0.1.0"

func newVersionCommand(app *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "which tally this is",
		Long:  "version writes tally's version, the commit that it was built from where that is\nknown, and the version of Go.",
		Args:  noMore,
		RunE: func(*cobra.Command, []string) error {
			return write(app.out, []byte(version()+"\n"))
		},
	}
}

// noMore refuses arguments.
func noMore(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument such as %q", command.Name(), args[0])
	}
	return nil
}

// version describes the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "tally of unknown version, " + runtime.Version()
	}
	return describe(info)
}

func describe(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	parts := []string{"tally " + release}
	if commit := settings["vcs.revision"]; commit != "" {
		if settings["vcs.modified"] == "true" {
			commit += " with changes"
		}
		parts = append(parts, "commit "+commit)
	}
	return strings.Join(append(parts, info.GoVersion), ", ")
}
