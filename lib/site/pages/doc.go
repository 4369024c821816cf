// Package pages makes the pages of the public log for people: HTML that needs no
// server, in four languages, made of the log's entries alone.
package pages
