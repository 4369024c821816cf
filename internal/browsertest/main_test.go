package browsertest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screenshots is a folder for pictures of the pages, for people to look at.
var screenshots = flag.String("screenshots", "", "write pictures of the pages into this `folder`")

// root is the root of the module.
const root = "../.."

// chromium is the browser, which all tests of the package share. Each has a profile
// of its own in it, which remembers nothing of the others.
var chromium context.Context

// temporary is a folder for what tests share.
var temporary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if testing.Short() {
		return 0 // without a browser
	}
	found, err := exec.Command(filepath.Join(root, "scripts", "chromium"), "--find").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "these tests need Chromium and axe-core: run scripts/chromium, which installs them")
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(strings.TrimSpace(string(found))),
		chromedp.Flag("disable-dev-shm-usage", true), // it is small in containers
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with it
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var closeBrowser context.CancelFunc
	chromium, closeBrowser = chromedp.NewContext(allocator)
	defer closeBrowser()
	if err := chromedp.Do(chromium); err != nil {
		fmt.Fprintln(os.Stderr, "starting Chromium:", err)
		return 1
	}
	if temporary, err = os.MkdirTemp("", "pages"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	return m.Run()
}
