// Package browsertest holds tests of the public pages that take a browser: headless
// Chromium, which scripts/chromium installs. They load pages over HTTP with the
// headers that the public gets, press Verify on good and on tampered archives, and
// look at what a person would see.
//
// The scripts of the pages have no build step and no test runner of their own:
// their parts are tested here too, against golang.org/x/mod/sumdb and package
// checkpoint, in the browser that they are for.
package browsertest
