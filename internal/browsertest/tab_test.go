package browsertest_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page in a profile of its own.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu         sync.Mutex
	complaints []string // of the browser about the page
	answer     bool     // what is answered when the page asks
}

// patience bounds what a test takes on a loaded machine. Pictures take their time.
func patience() time.Duration {
	if *screenshots != "" {
		return time.Hour
	}
	return 3 * time.Minute
}

// newTab opens a tab.
func newTab(t testing.TB) *tab {
	t.Helper()
	b := &tab{t: t}
	ctx, closeTab := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.listen))
	t.Cleanup(closeTab)
	if err := chromedp.Do(ctx); err != nil { // the tab would end with a context that has a deadline
		t.Fatal(err)
	}
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithTimeout(ctx, patience())
	t.Cleanup(cancel)
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	// Pages may be kept for a minute, and here change faster than that.
	call(b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	go b.reply(chromedp.Events(b.ctx, page.JavascriptDialogOpening))
	return b
}

// listen gathers what the browser has to say against the page: errors in the
// console, violations of the content security policy, and files that it did not
// get.
func (b *tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("exception: " + e.ExceptionDetails.Text + " " + describe(e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, arg := range e.Args {
				b.complain("console: " + describe(arg))
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.complain(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventLoadingFailed:
		if !e.Canceled { // by the page, which reads no more of a file than it may have
			b.complain("not loaded: " + e.ErrorText)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			b.complain(fmt.Sprintf("status %d: %s", e.Response.Status, e.Response.URL))
		}
	}
}

func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("%s%s", o.Value, o.Description)
}

// reply answers when the page asks.
func (b *tab) reply(dialogs iter.Seq2[page.EventJavascriptDialogOpening, error]) {
	for _, err := range dialogs {
		if err != nil {
			return
		}
		b.mu.Lock()
		answer := page.HandleJavaScriptDialogParams{Accept: b.answer}
		b.mu.Unlock()
		if _, err := chromedp.Call(b.ctx, page.HandleJavaScriptDialog, answer); err != nil {
			b.complain("answering: " + err.Error())
		}
	}
}

func (b *tab) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

// quiet fails the test for what the browser had to say since the last call.
func (b *tab) quiet(where string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.complaints {
		b.t.Errorf("%s: %s", where, text)
	}
	b.complaints = nil
}

// forget drops what the browser had to say: where files are missing on purpose.
func (b *tab) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = nil
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// call sends a command to the tab.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// before has a script run before those of each page.
func (b *tab) before(script string) {
	b.t.Helper()
	if script != "" {
		call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	}
}

// hurry is a script that shortens the waits of the page's: for the second try of what
// could not be read, and for a cache that is behind.
const hurry = `(() => { const wait = window.setTimeout; window.setTimeout = (act, milliseconds, ...rest) => wait(act, Math.min(milliseconds, 20), ...rest); })();`

// download clicks a link and returns the file that is saved.
func (b *tab) download(link string) []byte {
	b.t.Helper()
	folder := b.t.TempDir()
	id := chromedp.FromContext(b.ctx).BrowserContextID
	behaviour := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: id, DownloadPath: folder, EventsEnabled: new(true)}
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, behaviour); err != nil {
		b.t.Fatal(err)
	}
	steps := chromedp.BrowserEvents(b.ctx, browser.DownloadProgress)
	b.do(chromedp.Click(chromedp.CSS(link)))
	for step, err := range steps {
		if err != nil {
			b.t.Fatal(err)
		}
		if step.State != browser.DownloadProgressStateInProgress {
			break
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		b.t.Fatalf("saved %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// open loads a page.
func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// evaluate runs a script in the page, waits for what it promises, and returns it.
func evaluate[T any](b *tab, script string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}
