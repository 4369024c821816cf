// The checks that the Verify button makes, one after the other. Each reads what it
// needs, notes what it computed, and returns what it found; what does not hold is a
// Fault. Read from top to bottom they say what it takes to believe a result:
//
//   entry        the text on the page is the entry that the archive has of the draw
//   page         the page's address, title, result, picture and facts are this entry's
//   leaf         the entry's hash as a leaf of the log's tree
//   inclusion    the proof leads from this leaf to the root that a checkpoint names
//   signature    the log's key signed this checkpoint
//   consistency  the log as it is now begins with the tree under this checkpoint
//   newest       the site tells of no newer state of the draw
//   closings     the betting rounds closed when the page says, by the log
//   memory       the log begins with the tree that this browser saw last
//
// known is what the page says, the words of its language, and what earlier steps found: the step names in needs what it can't do
// without.

import { word } from "./address.js";
import { Fault, Unable, Unreachable, base64, equal, hex, sha256, textOf, utf8 } from "./bytes.js";
import { limits, nameOf, pause, proveConsistent, read } from "./log.js";
import { compare as compareWithMemory } from "./memory.js";
import { Tree, leafHash, rootOfInclusion } from "./merkle.js";
import { idOf, openCheckpoint, readCheckpoint, readKey, readNote, readProof } from "./note.js";
import { compareRounds, compare as compareWithPage } from "./page.js";

const short = (hash) => `${base64(hash).slice(0, 12)}\u2026`;

async function checkEntry(known, note) {
  const { page } = known;
  note("file", nameOf(page.entry));
  const entry = await read(page.entry, limits.entry);
  known.entry = entry;
  note("bytes", entry.length);
  note("sha256", hex(await sha256(entry)));
  const what = parseObject(entry);
  if (what === null) throw new Fault("entry_form");
  const expected = `${page.draw}, ${page.state}`;
  if (what.entry !== "state" || what.game !== page.game || `${what.draw}, ${what.state}` !== expected) {
    throw new Fault("other_entry", { found: `${what.draw}, ${what.state}`, expected });
  }
  if (!equal(utf8(page.shown), entry)) throw new Fault("entry_differs");
  known.told = what;
  return { code: "entry", values: { draw: page.draw, state: page.state, bytes: `${entry.length}` } };
}

/** Returns the object that a file has as JSON, null for anything else. */
function parseObject(bytes) {
  try {
    const value = JSON.parse(textOf(bytes));
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

async function checkPage(known, note) {
  const { page, told, words } = known;
  note("address", page.address);
  compareWithPage(document, page, told, words, word(page.log));
  return { code: "page", values: {} };
}

async function checkLeaf(known, note) {
  known.leaf = await leafHash(known.entry);
  note("leaf", known.leaf);
  return { code: "leaf", values: { hash: short(known.leaf) } };
}

/** The proof, which is read once. */
function proofOf(known) {
  known.proof ??= read(known.page.proof, limits.proof).then(readProof);
  return known.proof;
}

async function checkInclusion(known, note) {
  note("file", nameOf(known.page.proof));
  const proof = await proofOf(known);
  const { size, root } = readCheckpoint(readNote(proof.checkpoint).text);
  note("index", proof.index);
  note("size", size);
  note("path", proof.path);
  note("root", root);
  // The extra data, which nothing proves, are the entry once more.
  if (proof.extra !== null && !equal(proof.extra, known.entry)) throw new Fault("proof_of_other");
  const computed = await rootOfInclusion(known.leaf, proof.index, size, proof.path);
  note("computed", computed);
  if (!equal(computed, root)) throw new Fault("not_included", { computed: short(computed), root: short(root) });
  return { code: "inclusion", values: { index: `${proof.index}`, size: `${size}`, count: `${proof.path.length}`, root: short(root) } };
}

async function checkSignature(known, note) {
  const { page } = known;
  note("keys", page.keys);
  known.keys = await Promise.all(page.keys.map(readKey));
  const proof = await proofOf(known);
  const signed = await openCheckpoint(proof.checkpoint, page.origin, known.keys);
  known.signed = signed;
  note("signed_by", signed.by.map(idOf));
  if (signed.others.length > 0) note("others", signed.others.map(idOf));
  return { code: "signature", values: { origin: signed.origin, size: `${signed.size}`, key: signed.by.map(idOf).join(", ") } };
}

/** How long a checkpoint may stay in a cache that has an older one. */
const cacheMilliseconds = 2_000;

async function checkConsistency(known, note) {
  const { page, signed, keys } = known;
  const address = `${page.log}checkpoint`;
  note("file", nameOf(address));
  const open = async () => openCheckpoint(await read(address, limits.checkpoint), page.origin, keys);
  let current = await open();
  if (current.size < signed.size) {
    await pause(cacheMilliseconds);
    current = await open();
  }
  known.current = current;
  note("size", current.size);
  note("root", current.root);
  note("signed_by", current.by.map(idOf));
  if (current.size < signed.size) throw new Fault("log_behind_proof", { size: `${current.size}`, proof: `${signed.size}` });
  const { proof, tiles } = await proveConsistent(signed, current, tileReader(page));
  noteProof(note, proof, tiles);
  const same = current.size === signed.size;
  return { code: same ? "consistency_same" : "consistency", values: { size: `${current.size}`, older: `${signed.size}`, count: `${proof.length}`, root: short(current.root) } };
}

const tileReader = (page) => (path) => read(page.log + path, limits.tile);

function noteProof(note, proof, tiles) {
  if (tiles.length > 0) note("tiles", tiles);
  if (proof.length > 0) note("proof", proof);
}

/**
 * Whether the site tells of a newer state: the log's end is too long to be read by
 * a browser, so a newer state that the whole site keeps back is not found.
 */
async function checkNewest(known, note) {
  const { page } = known;
  note("file", nameOf(page.history));
  const history = parseObject(await read(page.history, limits.history));
  // Where a draw's name is another's with a state, that state is at this address.
  if (history?.entry === "state" && history.draw !== page.draw) throw new Unable("no_history");
  const states = [history?.row, ...[history?.states].flat()].map((it) => it?.state);
  if (history?.row?.draw !== page.draw || history.row.game !== page.game || !states.every(Number.isSafeInteger)) throw new Fault("history_form");
  const newest = Math.max(...states);
  if (newest >= Number(page.state)) known.history = history;
  note("newest", newest);
  if (newest > Number(page.state)) throw new Fault("superseded", { newest: `${newest}`, state: page.state });
  // A cache may have a file for a minute longer than the page.
  if (newest < Number(page.state)) throw new Unreachable("history_behind", { newest: `${newest}`, state: page.state });
  return { code: "newest", values: { state: page.state } };
}

/**
 * When the betting rounds closed, and what was closed within them: what the site's
 * history has of that up to this state is in the log, and is what the page shows. As a
 * closing is for good, what was told of a round holds whatever is told after it.
 */
async function checkClosings(known, note) {
  const { page, history, current, words } = known;
  const entries = [history.entries].flat().filter((it) => it?.entry?.entry === "closings" && it.entry.state <= Number(page.state));
  if (entries.length === 0) throw new Fault("no_closings");
  const tree = new Tree(current.size, tileReader(page));
  let rounds = [];
  for (const { index, entry } of entries) {
    if (entry.draw !== page.draw || entry.game !== page.game || !Number.isSafeInteger(index)) throw new Fault("history_form");
    const [leaf, at] = [await leafHash(utf8(JSON.stringify(entry))), BigInt(index)];
    const computed = await rootOfInclusion(leaf, at, current.size, await tree.inclusionProof(at));
    if (!equal(computed, current.root)) throw new Fault("not_included", { computed: short(computed), root: short(current.root) });
    note("index", index);
    note("leaf", leaf);
    for (const before of rounds) checkKept(before, entry.rounds.find(({ round }) => round === before.round));
    rounds = entry.rounds;
  }
  const closed = rounds.flatMap((round) => closedWithin(round).map((it) => `${words.text("round.round")} ${round.round}: ${it.selection} ${words.moment(page.day, it.closing)}`));
  note("rounds", rounds.map((it) => `${it.round}: ${it.opens_at} \u2013 ${it.closing}`));
  compareRounds(document, page, rounds, words);
  if (closed.length === 0) return { code: "closings", values: {} };
  return { code: "closings_within", values: { closed: closed.join("; ") } };
}

/** What was closed within a betting round, each while the round took bets. */
function closedWithin({ round, opens_at, closing, selections = [] }) {
  const outside = selections.find((it) => it.closing < opens_at || it.closing >= closing);
  if (outside) throw new Fault("closed_outside", { round: `${round}`, selection: outside.selection, at: outside.closing });
  return selections;
}

function checkKept(before, after) {
  const closing = (it) => JSON.stringify([it?.opens_at, it?.closing, it?.selections]);
  if (closing(before) !== closing(after)) throw new Fault("closing_changed", { round: `${before.round}` });
}

async function checkMemory(known, note) {
  const { page, current } = known;
  // Nothing is learnt from a log that failed a check.
  const { first, older, at, proof, tiles } = await compareWithMemory(current, tileReader(page), !known.failed);
  if (first) return { code: known.failed ? "memory_not_now" : "memory_first", values: { size: `${current.size}` } };
  note("seen_at", at);
  note("size", older.size);
  note("root", older.root);
  noteProof(note, proof, tiles);
  return { code: older.size === current.size ? "memory_same" : "memory", values: { size: `${current.size}`, older: `${older.size}`, at } };
}

/** The checks in their order. */
export const steps = [
  { name: "entry", needs: [], check: checkEntry },
  { name: "page", needs: ["told"], check: checkPage },
  { name: "leaf", needs: ["entry"], check: checkLeaf },
  { name: "inclusion", needs: ["leaf"], check: checkInclusion },
  { name: "signature", needs: [], check: checkSignature },
  { name: "consistency", needs: ["signed"], check: checkConsistency },
  { name: "newest", needs: [], check: checkNewest },
  { name: "closings", needs: ["history", "current"], check: checkClosings },
  { name: "memory", needs: ["current"], check: checkMemory },
];
