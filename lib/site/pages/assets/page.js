// What a draw's page shows, compared with what its verified entry says. The title, the
// result, its picture and its facts are drawn once more from the entry, as the site
// draws them, and each element of the page must be the one that comes out. So must when
// the betting rounds closed, from an entry of its own. What the page tells from other
// entries is not compared: see the list at the end of compare.

import { Fault } from "./bytes.js";
import { tableOf } from "./tables.js";
import { escape } from "./words.js";

/** Draws the section of the result as the page of an entry has it. */
export function drawOutcome(entry, words) {
  const { status, game } = entry;
  const badge = (code) => `<span class="status ${escape(code)}">${escape(words.code("status", code))}</span>`;
  return `<section class="outcome" aria-labelledby="outcome"><div class="heading"><h2 id="outcome">${escape(words.text("draw.result"))}</h2>` +
    `<p>${badge(status)}${entry.correction ? ` ${badge("corrected")}` : ""}</p></div>${drawReason(entry, words)}${drawHidden(entry, words)}` +
    `${status === "cancelled" ? "" : drawTable(tableOf(game, entry.facts, entry.outcome), entry, words)}</section>`;
}

/** Why a draw is void or cancelled. */
function drawReason({ status, reason, rule, revision }, words) {
  if (status !== "cancelled" && status !== "void") return "";
  const byTally = status === "cancelled" && revision === 0 ? ` ${words.text("draw.by_tally")}` : "";
  const text = `${words.text(`draw.${status}`)} ${words.text("draw.by_rule", { Rule: rule ?? "" })}${byTally}`;
  return `<div class="notice stop"><p class="why">${escape(words.code("reason", reason ?? ""))}</p><p>${escape(text)}</p></div>`;
}

/** The hash of facts that are too large to be shown. */
const drawHidden = (entry, words) =>
  entry.facts_sha256 ? `<p class="notice">${escape(words.text("draw.facts_hidden"))}<br><code class="hash">${escape(entry.facts_sha256)}</code></p>` : "";

/** The picture and the result, or the texts of what can't be drawn. */
function drawTable(table, { status, facts, outcome }, words) {
  if (table === null) return drawTexts(facts, outcome, words);
  const pairs = table.result(words).map(([label, value]) => `<div><dt>${escape(label)}</dt><dd>${escape(value)}</dd></div>`);
  const resolved = status === "resolved";
  return `${resolved ? `<p class="line">${escape(table.line(words))}</p>` : ""}<figure class="table">${table.picture(words)}</figure>${resolved ? `<dl class="facts">${pairs.join("")}</dl>` : ""}`;
}

function drawTexts(facts, outcome, words) {
  if (facts === undefined && outcome === undefined) return "";
  const part = (title, value) => (value === undefined ? "" : `<h3>${escape(words.text(title))}</h3><pre>${escape(JSON.stringify(value))}</pre>`);
  return `<p>${escape(words.text("draw.unknown"))}</p>${part("draw.facts", facts)}${part("draw.outcome", outcome)}`;
}

const flat = (text) => text.replace(/\s+/g, " ").trim();

/** What an element tells those who read it, and those who hear it. */
function told(node) {
  if (node === undefined) return "";
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  const parts = [node.getAttribute("aria-label") ?? "", ...Array.from(node.childNodes, told)];
  return flat(parts.join(" "));
}

const isSeen = (node) => node.nodeType !== Node.COMMENT_NODE && !(node.nodeType === Node.TEXT_NODE && flat(node.data) === "");

/** Names an element and its attributes. */
const nameOf = (element) => `${element.localName} ${Array.from(element.attributes, ({ name, value }) => `${name}=${value}`).sort().join(" ")}`;

/**
 * Returns the innermost two parts, of a page and of what was redrawn, in which the
 * two differ; null where they are the same.
 */
export function difference(found, wanted) {
  if (found === undefined || wanted === undefined || found.nodeType !== wanted.nodeType) return { found, wanted };
  if (found.nodeType === Node.TEXT_NODE) return flat(found.data) === flat(wanted.data) ? null : { found, wanted };
  if (nameOf(found) !== nameOf(wanted)) return { found, wanted };
  const [a, b] = [found, wanted].map((element) => Array.from(element.childNodes).filter(isSeen));
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const inside = difference(a[i], b[i]);
    if (inside) return inside;
  }
  return null;
}

/** The most of a text that is repeated where a page differs. */
const mostSaid = 120;

const said = (text) => (text.length > mostSaid ? `${text.slice(0, mostSaid)}\u2026` : text || "\u2013");

function differs(part, found, wanted) {
  if (found === wanted) return new Fault("page_drawn", { part });
  return new Fault("page_differs", { part, found: said(found), expected: said(wanted) });
}

/** The parts of the result in which a difference may be, by what people call them. */
const parts = [["picture", "figure.table"], ["line", ".line"], ["facts", ".facts"], ["reason", ".notice"], ["status", ".heading"]];

function partOf(...nodes) {
  const within = (node, selector) => (node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement)?.closest(selector);
  return parts.find(([, selector]) => nodes.some((node) => within(node, selector)))?.[0] ?? "result";
}

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

/** What the body and the main part of a draw's page consist of, in this order. */
const body = ["a.skip", "header.top", "main#main", "footer.bottom"];
const main = ["nav.crumbs", "div.title", "section.outcome", "section#verify", ...["rounds", "states", "settled", "leaves"].map((id) => `section[aria-labelledby="${id}"]`)];

function checkParts(parent, selectors) {
  const children = Array.from(parent.childNodes).filter(isSeen);
  const strange = children.find((child, i) => child.nodeType !== Node.ELEMENT_NODE || !selectors[i] || !child.matches(selectors[i]));
  if (strange) throw new Fault("page_more", { found: said(told(strange)) });
  if (children.length < selectors.length) throw new Fault("page_less");
}

/** Compares one text of the page with what it must be. */
function checkText(part, found, wanted) {
  if (flat(found ?? "") !== flat(wanted)) throw differs(part, flat(found ?? ""), flat(wanted));
}

/**
 * Checks that the page is at the address of its draw, in its language, and that its
 * links and commands are about it.
 */
function checkAddress(document, page, entry) {
  const at = new URL(page.address).pathname.split("/").slice(-4);
  const [lang, game, day, file] = at.map(decodeURIComponent);
  if (lang !== document.documentElement.lang || game !== entry.game || file !== `${entry.draw}.html`) {
    throw new Fault("other_address", { found: at.map(decodeURIComponent).join("/"), expected: `${document.documentElement.lang}/${entry.game}/\u2026/${entry.draw}.html` });
  }
  const url = (path) => new URL(`../../../${path}`, page.address).href;
  const name = `results/${game}/${day}/${entry.draw}.${entry.state}`;
  const links = { [url(`${name}.json`)]: page.entry, [url(`${name}.tlog-proof`)]: page.proof };
  for (const [wanted, found] of Object.entries(links)) checkText("links", found, wanted);
  checkText("links", hrefs(document, "#verify .files a", page.address).join(" "), Object.keys(links).join(" "));
  const languages = Array.from(document.querySelectorAll(".languages a"));
  const editions = languages.map((link) => url(`${link.lang}/${game}/${day}/${entry.draw}.html`));
  checkText("links", hrefs(document, ".languages a", page.address).join(" "), editions.join(" "));
}

const hrefs = (document, selector, base) => Array.from(document.querySelectorAll(selector), (link) => new URL(link.getAttribute("href"), base).href);

/** Checks the commands that people are to copy: a key in them is one that was checked. */
function checkCommands(document, page, entry, log) {
  const keys = page.keys.map((key) => ` --key ${key}`).join("");
  const wanted = [`tally verify --proof ${entry.draw}.${entry.state}.tlog-proof${keys}`, `tally verify ${log} --site none --draw ${entry.draw}${keys}`];
  const found = Array.from(document.querySelectorAll("main pre.command"), (command) => command.textContent);
  checkText("command", found.join(" "), wanted.join(" "));
}

/**
 * Compares a draw's page with its verified entry. Not compared is what the page tells
 * from other entries: the table, number and times of the draw, what was planned of the
 * betting rounds, their odds and cards, the earlier states, the totals of the bets and
 * the list of entries. The verdict says so.
 */
export function compare(document, page, entry, words, log) {
  checkAddress(document, page, entry);
  checkParts(document.body, body);
  checkParts(document.querySelector("main"), main);
  const game = words.code("game", entry.game);
  checkText("title", document.title, `${words.text("draw.title", { Draw: entry.draw, Game: game })} \u00b7 ${words.text("site.name")}`);
  checkText("title", document.querySelector("h1")?.textContent, `${game} ${entry.draw}`);
  const wanted = parse(drawOutcome(entry, words)).querySelector("section");
  const other = difference(document.querySelector("section.outcome"), wanted);
  if (other) throw differs(partOf(other.found, other.wanted), told(other.found), told(other.wanted));
  checkCommands(document, page, entry, log);
}

/** The first columns of the table of betting rounds. */
const columns = ["round", "opens", "planned", "closing"];

/** Draws the cells that say when a betting round opened and closed, and what was closed within it. */
function drawClosing({ opens_at, closing, selections = [] }, day, words) {
  const moment = (at) => `<time datetime="${escape(at)}">${escape(words.moment(day, at))}</time>`;
  const cell = (name, inside) => `<td role="cell" data-label="${escape(words.text(`round.${name}`))}">${inside}</td>`;
  const closed = selections.map((it) => ` <span class="lying"><code>${escape(it.selection)}</code> ${moment(it.closing)}</span>`);
  return cell("opens", moment(opens_at)) + cell("closing", `<span>${moment(closing)}${closed.join("")}</span>`);
}

/** Compares the page's table of betting rounds with when each closed, by their verified entry. */
export function compareRounds(document, page, rounds, words) {
  const section = document.querySelector('section[aria-labelledby="rounds"]');
  const unclosed = page.game === "blackjack" && rounds.some(({ round }) => round > 1) && !rounds.some(({ selections }) => selections);
  checkParts(section, `h2 div.scroll${unclosed ? " p.notice" : ""}`.split(" "));
  checkText("rounds", section.querySelector(".notice")?.textContent, unclosed ? words.text("round.unclosed") : "");
  checkText("rounds", Array.from(section.querySelectorAll("th[scope=col]"), told).slice(0, columns.length).join(" "), columns.map((name) => words.text(`round.${name}`)).join(" "));
  const left = new Map(rounds.map((round) => [`${round.round}`, round]));
  for (const row of section.querySelectorAll("tbody tr")) {
    const [number, opens, , closing] = row.children;
    const name = flat(number.firstChild.data);
    if (!left.has(name)) {
      checkText("rounds", told(closing), words.text("round.never_opened"));
      continue;
    }
    const wanted = parse(`<table><tr>${drawClosing(left.get(name), page.day, words)}</tr></table>`).querySelectorAll("td");
    const other = difference(opens, wanted[0]) ?? difference(closing, wanted[1]);
    if (other) throw differs("rounds", told(other.found), told(other.wanted));
    left.delete(name);
  }
  if (left.size > 0) throw differs("rounds", "", [...left.keys()].join(", "));
}
