package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tally/lib/site/build"
	"tally/lib/site/dataset"
)

const pagesParquetHelp = `parquet makes one Parquet data set of many days of a site, for DuckDB, pandas
and the like: a folder for each day, with a file for each game. SITE is a
site's address, the folder of one, or its bucket (s3://bucket). A file of the
site that is not the one its index names is refused; whether the site is what
its log says, tally pages build --check tells. What the folder has of the same
days is written over.`

const pagesParquetExample = `  tally pages parquet https://tally.example --to draws --from 2026-11-01 --until 2026-11-30
  duckdb -c "SELECT game, count(*) FROM 'draws/*/*.parquet' GROUP BY game"
  python3 -c "import pandas; print(pandas.read_parquet('draws').groupby('game').size())"`

func newPagesParquetCommand(app *app) *cobra.Command {
	var to string
	options := dataset.Options{Parallel: build.DefaultParallel}
	command := &cobra.Command{
		Use: "parquet SITE", Short: "make a Parquet data set of many days", Long: pagesParquetHelp, Example: pagesParquetExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name a site: its address, its folder, or s3:// and its bucket")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			if to == "" {
				return errors.New("name the folder to make the data set in with --to")
			}
			for name, day := range map[string]string{"from": options.From, "until": options.To} {
				if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
					return fmt.Errorf("--%s is a day such as 2026-11-30", name)
				}
			}
			ctx, stop := interruptible(command)
			defer stop()
			return app.makeDataSet(ctx, args[0], to, options)
		},
	}
	flags := command.Flags()
	flags.StringVar(&to, "to", "", "`folder` to make the data set in")
	flags.StringVar(&options.From, "from", "", "the first `day`, such as 2026-11-01; that of the first draw unless said")
	flags.StringVar(&options.To, "until", "", "the last `day`, such as 2026-11-30; that of the last draw unless said")
	flags.StringSliceVar(&options.Games, "game", nil, "only these `games`, with commas between them")
	return command
}

// makeDataSet makes a data set of a site in a folder.
func (app *app) makeDataSet(ctx context.Context, site, to string, options dataset.Options) error {
	from, err := app.openLog(ctx, site)
	if err != nil {
		return failed("opening the site", err)
	}
	options.Write = func(path string, data []byte) error {
		name := filepath.Join(to, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, data, 0o644)
	}
	made, err := dataset.Make(ctx, untrusted{from: from}, options)
	if err != nil {
		return failed("making the data set", err)
	}
	return app.printf("data set    %s, %s, %s in %s\n", several(made.Days, "day", "days"), several(made.Files, "file", "files"), several(int(made.Draws), "draw", "draws"), to)
}
