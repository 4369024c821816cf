// Package build keeps the public site up with the public log.
//
// A follower reads the log as a stranger would: the checkpoint by its signature,
// the entries by the tiles under it. It goes on from where the site stands, a
// stretch of entries at a time, and writes what they concern: the files and the
// page of each draw, then those of its day, month and year, then the pages of its
// game and the home page. The site is a function of the log up to a size, however
// the log was cut into stretches.
//
// # Where the site stands
//
// One small file, cursor.json, says how far the site has come, and up to where a
// follower is working on it now. It changes by compare-and-swap only:
//
//	{size 100, target 100}   the site is that of the log's first 100 entries
//	{size 100, target 250}   someone is at work on the entries 100 to 249
//	{size 250, target 250}   done
//
// A follower that dies leaves the second of these. Whoever comes next works on the
// same stretch and makes the same bytes, so that it does not matter which of its
// files were written already; nor does it matter when two are at work at once.
//
// What must not happen is that one who was held up writes an old file over a
// newer one. Therefore every file that changes is written in this order: read it;
// see that the cursor is still what it was; write, if the file is still the one
// that was read. Who has begun the next stretch has changed the cursor first.
//
// What the indexes of the site already say is read from the site itself. Each part
// of an index says up to which entry it was made, so that a follower can tell what
// belongs to the stretch under way and leaves it out.
package build
