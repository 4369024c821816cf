// The formats of C2SP in which a log speaks: signed-note, tlog-checkpoint and
// tlog-proof. Everything that is read is refused unless it has exactly the form
// that the format names.

import { Fault, Unable, equal, hex, sha256, textOf, unbase64, utf8, wholeNumber } from "./bytes.js";
import { hashSize } from "./merkle.js";

/** The most signatures that are read of a note. */
const maxSignatures = 100;

/** The most entries of a log, as for tally itself, and the most hashes of a path. */
const maxSize = 2n ** 48n;
const maxPath = 63;

const ed25519 = 1; // the type of a signature, of a note as it stands
const keyIDSize = 4;

const isName = (text) => text !== "" && !/[\p{White_Space}+]/u.test(text);

/**
 * Reads a verifier key such as example.com/log+530d903a+AekyeR…: a name, the key's
 * id, and its type and bytes.
 */
export async function readKey(text) {
  const [, name, id, encoded] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? [];
  const bytes = encoded && unbase64(encoded);
  if (!bytes || !isName(name) || bytes.length !== 33 || bytes[0] !== ed25519) throw new Fault("key_form", { key: text });
  // The id is recomputed: it binds the name to the key.
  const computed = (await sha256(utf8(name), utf8("\n"), bytes)).slice(0, keyIDSize);
  if (hex(computed) !== id) throw new Fault("key_form", { key: text });
  return { text, name, id, bytes: bytes.slice(1) };
}

/** Reports whether a key signed a text. */
async function signed(key, text, signature) {
  let imported;
  try {
    imported = await crypto.subtle.importKey("raw", key.bytes, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") throw new Unable("no_ed25519");
    throw new Fault("key_form", { key: key.text });
  }
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, utf8(text));
}

/** Reads a note: its text, and its signatures, none of which is verified. */
export function readNote(bytes) {
  const all = textOf(bytes);
  // No control characters but the line feed, so that what is signed is what is seen.
  if (all === null || /[\x00-\x09\x0b-\x1f]/.test(all)) throw new Fault("note_form");
  const end = all.lastIndexOf("\n\n");
  if (end < 0 || !all.endsWith("\n") || end + 2 === all.length) throw new Fault("note_form");
  const lines = all.slice(end + 2, -1).split("\n");
  if (lines.length > maxSignatures) throw new Fault("note_form");
  return { text: all.slice(0, end + 1), signatures: lines.map(readSignature) };
}

function readSignature(line) {
  const [, name, encoded] = /^\u2014 ([^ ]*) ([^ ]*)$/.exec(line) ?? [];
  const bytes = encoded && unbase64(encoded);
  if (!bytes || !isName(name) || bytes.length <= keyIDSize) throw new Fault("note_form");
  return { name, id: hex(bytes.slice(0, keyIDSize)), signature: bytes.slice(keyIDSize) };
}

/**
 * Reads a note that one of the keys must have signed. The signature of a known key
 * that does not verify is a fault, whatever else stands there. Signatures by other
 * keys, such as those of witnesses, are returned unverified.
 */
export async function openNote(bytes, keys) {
  const { text, signatures } = readNote(bytes);
  const [by, others] = [[], []];
  for (const { name, id, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.id === id);
    if (!key) {
      others.push({ name, id });
    } else if (!(await signed(key, text, signature))) {
      throw new Fault("signature_wrong", { key: `${name}+${id}` });
    } else if (!by.includes(key)) {
      by.push(key);
    }
  }
  if (by.length === 0) throw new Fault("signature_unknown", { keys: others.map(({ name, id }) => `${name}+${id}`).join(", ") });
  return { text, by, others };
}

/** Reads a checkpoint's text: the log's name, its size and its root. */
export function readCheckpoint(text) {
  const [origin, number, encoded, ...rest] = text.split("\n");
  const size = wholeNumber(number ?? "");
  const root = unbase64(encoded ?? "");
  if (rest.length === 0 || origin === "" || size === null || size > maxSize || root?.length !== hashSize) throw new Fault("checkpoint_form");
  // Lines after the third are extensions, which are signed, not empty, and ignored.
  if (rest.slice(0, -1).includes("")) throw new Fault("checkpoint_form");
  return { origin, size, root };
}

/** SHA-256 of nothing: the root of the tree without leaves. */
const emptyRoot = unbase64("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");

/** Reads a signed checkpoint of the log of that name, signed by one of the keys. */
export async function openCheckpoint(bytes, origin, keys) {
  const { text, by, others } = await openNote(bytes, keys);
  const checkpoint = readCheckpoint(text);
  if (checkpoint.origin !== origin) throw new Fault("other_log", { found: checkpoint.origin, expected: origin });
  if (checkpoint.size === 0n && !equal(checkpoint.root, emptyRoot)) throw new Fault("checkpoint_form");
  return { ...checkpoint, by, others, signed: textOf(bytes) };
}

const proofLine = "c2sp.org/tlog-proof@v1";

/**
 * Reads a proof that an entry is in a tree: its index, its path, the checkpoint of
 * the tree as it is signed, and the extra data, null where there are none. Nothing
 * of it is verified.
 */
export function readProof(bytes) {
  const text = textOf(bytes);
  const end = text === null ? -1 : text.indexOf("\n\n");
  if (end < 0) throw new Fault("proof_form");
  const lines = text.slice(0, end).split("\n");
  if (lines.shift() !== proofLine) throw new Fault("proof_form");
  let extra = null;
  if (lines[0]?.startsWith("extra ")) {
    extra = unbase64(lines.shift().slice("extra ".length));
    if (extra === null) throw new Fault("proof_form");
  }
  const [, number] = /^index (.*)$/.exec(lines.shift() ?? "") ?? [];
  const index = wholeNumber(number ?? "");
  const path = lines.map(unbase64);
  if (index === null || index > maxSize || path.length > maxPath || path.some((hash) => hash?.length !== hashSize)) throw new Fault("proof_form");
  return { extra, index, path, checkpoint: utf8(text.slice(end + 2)) };
}

/** Writes the id of a key as signature lines begin with it, for people. */
export const idOf = (key) => `${key.name}+${key.id}`;
