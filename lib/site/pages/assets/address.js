// Puts the log's address into commands that people copy from a page. The page itself
// can't know it: it is the same wherever the site is, and in a copy of it.

/** Writes an address as one word of a command line. */
export const word = (text) => (/^[\w./:%@+,=~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

for (const place of document.querySelectorAll("[data-address]")) {
  place.textContent = word(new URL(place.dataset.address, document.baseURI).href);
}
for (const hint of document.querySelectorAll('[data-part="address"]')) hint.hidden = true;
