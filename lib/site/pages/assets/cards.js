// Playing cards as the pages draw them.

import { escape } from "./words.js";

const symbols = { S: "\u2660", H: "\u2665", D: "\u2666", C: "\u2663" };

/** Reports whether a value is a card's code, such as KS. */
export const isCard = (code) => typeof code === "string" && /^[2-9TJQKA][SHDC]$/.test(code);

const figure = (code) => (code[0] === "T" ? "10" : code[0]);

/** Writes cards as people do: K♠ 3♦ 7♣. */
export const short = (cards) => cards.map((code) => figure(code) + symbols[code[1]]).join(" ");

/** The places of the suit on a card that is 100 wide and 140 high. */
const pips = (() => {
  const pip = (x, y) => ({ x, y, turn: y > 70 });
  const columns = (...ys) => ys.flatMap((y) => [pip(35, y), pip(65, y)]);
  const middle = (...ys) => ys.map((y) => pip(50, y));
  return {
    2: middle(32, 108),
    3: middle(32, 70, 108),
    4: columns(32, 108),
    5: [...columns(32, 108), ...middle(70)],
    6: columns(32, 70, 108),
    7: [...columns(32, 70, 108), ...middle(51)],
    8: [...columns(32, 70, 108), ...middle(51, 89)],
    9: [...columns(30, 57, 83, 110), ...middle(70)],
    T: [...columns(30, 57, 83, 110), ...middle(43, 97)],
  };
})();

/** The shapes of the suits, to which cards refer. */
export const suits = `<svg class="suits" width="0" height="0" aria-hidden="true" focusable="false">
<symbol id="suit-S" viewBox="0 0 20 20"><path d="M10 1C4.6 6.2 1.6 8.8 1.6 12a3.9 3.9 0 0 0 7.3 2c0 2-.8 3.6-2.4 4.7h7c-1.6-1.1-2.4-2.7-2.4-4.7a3.9 3.9 0 0 0 7.3-2c0-3.2-3-5.8-8.4-11z"/></symbol>
<symbol id="suit-H" viewBox="0 0 20 20"><path d="M10 18.6C4.4 13.4 1.4 10.4 1.4 6.7a4.6 4.6 0 0 1 8.6-2.3 4.6 4.6 0 0 1 8.6 2.3c0 3.7-3 6.7-8.6 11.9z"/></symbol>
<symbol id="suit-D" viewBox="0 0 20 20"><path d="M10 .8Q12.9 5.8 17 10q-4.1 4.2-7 9.2Q7.1 14.2 3 10q4.1-4.2 7-9.2z"/></symbol>
<symbol id="suit-C" viewBox="0 0 20 20"><path d="M10 1.2a4 4 0 0 0-3.4 6.1 4.1 4.1 0 1 0 2.3 6.6c0 2-.800 3.7-2.4 4.8h7c-1.6-1.1-2.4-2.8-2.4-4.8a4.1 4.1 0 1 0 2.3-6.6A4 4 0 0 0 10 1.2z"/></symbol>
</svg>`;

function face(code) {
  const suit = `href="#suit-${code[1]}"`;
  if ("JQK".includes(code[0])) {
    return `<rect class="frame" x="27" y="18" width="46" height="104" rx="4" fill="none" stroke="currentColor"/><text class="figure" x="50" y="70" font-size="46" text-anchor="middle">${code[0]}</text><use ${suit} x="37" y="82" width="26" height="26"/>`;
  }
  if (code[0] === "A") return `<use ${suit} x="26" y="46" width="48" height="48"/>`;
  return pips[code[0]].map(({ x, y, turn }) => `<use ${suit} x="-9" y="-9" width="18" height="18" transform="translate(${x} ${y})${turn ? " rotate(180)" : ""}"/>`).join("");
}

/** Draws a card; it may be marked, and lie across. */
function drawn(words, { code, marked, across }) {
  const red = "HD".includes(code[1]);
  const [width, height] = across ? [84, 60] : [60, 84];
  const name = words.text("card.name", { Rank: words.text(`card.rank_${code[0]}`), Suit: words.text(`card.suit_${code[1]}`) });
  const size = code[0] === "T" ? 'x="16" y="25" font-size="20"' : 'x="14" y="26" font-size="24"';
  const corner = `<text ${size} text-anchor="middle">${figure(code)}</text><use href="#suit-${code[1]}" x="6" y="31" width="16" height="16"/>`;
  const classes = `card${red ? " red" : ""}${marked ? " marked" : ""}${across ? " sideways" : ""}`;
  return `<svg class="${classes}" width="${width}" height="${height}" viewBox="-2 -2 ${across ? "144 104" : "104 144"}" role="img" aria-label="${escape(name)}">` +
    `<g${across ? ' transform="translate(140) rotate(90)"' : ""}><rect class="paper" width="100" height="140" rx="9" fill="#fff" stroke="#888"/>` +
    `<g class="ink" fill="${red ? "#c00" : "#111"}"><g>${corner}</g><g transform="rotate(180 50 70)">${corner}</g>${face(code)}</g></g></svg>`;
}

/** Draws cards beside each other; mark and across say which by its code and place. */
export const laid = (words, cards, mark = () => false, across = () => false) =>
  `<div class="cards">${cards.map((code, at) => drawn(words, { code, marked: mark(code), across: across(at) })).join("")}</div>`;

/** Draws the burned cards, if there are any. */
export const burned = (words, cards) =>
  cards.length === 0 ? "" : `<div class="burned"><h3>${escape(words.text("table.burned"))}</h3>${laid(words, cards)}<p>${escape(words.text("table.burned_explained"))}</p></div>`;
