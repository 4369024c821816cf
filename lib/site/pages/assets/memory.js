// What this browser remembers of a log, so that a log that was set back or
// rewritten since shows: the newest checkpoint that it verified, as it is signed,
// the keys that signed, and the evidence of what did not fit.

import { Fault, Unable, Unreachable, utf8 } from "./bytes.js";
import { proveConsistent } from "./log.js";
import { idOf, openCheckpoint, readKey } from "./note.js";

/** The most pieces of evidence that are kept. */
const maxEvidence = 10;

const nameOf = (origin) => `tally.log ${origin}`;

/** Does something with the browser's store, which people may have switched off. */
function withStore(act) {
  try {
    return act(window.localStorage);
  } catch {
    throw new Unable("no_memory");
  }
}

const load = (origin) => withStore((store) => store.getItem(nameOf(origin)));
const save = (origin, record) => withStore((store) => store.setItem(nameOf(origin), JSON.stringify(record)));

/** Forgets a log: for people who know why it is another one. */
export const forget = (origin) => withStore((store) => store.removeItem(nameOf(origin)));

/** Takes keys as known that people have compared with what the operator published. */
export function accept(origin, keys) {
  const record = parse(load(origin));
  save(origin, { ...record, keys: [...new Set([...record.keys, ...keys.map((key) => key.text)])] });
}

const isText = (value) => typeof value === "string";

function parse(text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    throw new Fault("memory_form");
  }
  const { keys, checkpoint, at, evidence } = record ?? {};
  if (![keys, evidence].every(Array.isArray) || ![checkpoint, at, ...keys].every(isText)) throw new Fault("memory_form");
  return record;
}

/**
 * Compares a checkpoint that was verified with the one that is remembered, and
 * remembers the newer one if all is well and remember says so. What does not fit is
 * kept as evidence, and replaces nothing.
 *
 * @returns {Promise<{first?: boolean, older?: object, at?: string, proof?: Uint8Array[], tiles?: string[]}>}
 */
export async function compare(current, get, remember) {
  for (;;) {
    const text = load(current.origin);
    const { known, record, fault } = await judge(text, current, get);
    // Another tab may have remembered something meanwhile: judge again by that. Each
    // time round another one has come to its end.
    if (load(current.origin) !== text) continue;
    if (fault?.evidence) save(current.origin, withEvidence(record, fault.evidence));
    if (fault) throw fault;
    if (remember) save(current.origin, record);
    return known;
  }
}

/** Returns what is to be remembered, and the fault if there is one. */
async function judge(text, current, get) {
  const now = new Date().toISOString();
  const keys = current.by.map((key) => key.text);
  if (text === null) return { known: { first: true }, record: { keys, checkpoint: current.signed, at: now, evidence: [] } };
  const record = parse(text);
  const older = await remembered(record, current.origin);
  const known = { older, at: record.at };
  try {
    if (older.size > current.size) throw await setBack(current, older, get);
    Object.assign(known, await proveConsistent(older, current, get));
    if (!keys.some((key) => record.keys.includes(key))) throw keyChanged(record, current);
  } catch (fault) {
    if (fault.evidence) fault.evidence.seen = { at: record.at, keys: record.keys };
    return { record, fault };
  }
  const all = [...new Set([...record.keys, ...keys])];
  return { known, record: { ...record, keys: all, checkpoint: current.signed, at: now } };
}

/** Opens the checkpoint that is remembered: it is verified, too. */
async function remembered(record, origin) {
  try {
    return await openCheckpoint(utf8(record.checkpoint), origin, await Promise.all(record.keys.map(readKey)));
  } catch (fault) {
    throw fault instanceof Unable ? fault : new Fault("memory_form");
  }
}

/**
 * A log that has fewer entries than this browser has seen. Where its tiles still
 * show that it begins the tree that was seen, it may be an old copy; in any case it
 * is not the whole log.
 */
async function setBack(current, seen, get) {
  try {
    await proveConsistent(current, seen, get);
  } catch (fault) {
    if (fault.code === "forked" || fault instanceof Unreachable) return fault;
  }
  const fault = new Fault("set_back", { size: `${current.size}`, seen: `${seen.size}` });
  fault.evidence = { reason: "set_back", older: current.signed, newer: seen.signed };
  return fault;
}

function keyChanged(record, current) {
  const fault = new Fault("key_changed", { known: record.keys.map(shorten).join(", "), found: current.by.map(idOf).join(", ") });
  fault.evidence = { reason: "key_changed", older: record.checkpoint, newer: current.signed };
  fault.keys = current.by;
  return fault;
}

/** The name and id of a verifier key. */
const shorten = (key) => key.slice(0, key.lastIndexOf("+"));

function withEvidence(record, evidence) {
  const same = (other) => ["reason", "older", "newer"].every((member) => other[member] === evidence[member]);
  if (record.evidence.some(same) || record.evidence.length >= maxEvidence) return record;
  return { ...record, evidence: [...record.evidence, { ...evidence, at: new Date().toISOString() }] };
}
