// A log as it is read over the network, and what two of its checkpoints have to do
// with each other.

import { Fault, Unreachable, base64, equal } from "./bytes.js";
import { Tree, hashSize, rootsOfConsistency } from "./merkle.js";

/** The most bytes that are read of a file of each kind. */
export const limits = { entry: 65_535, proof: 1 << 20, checkpoint: 1 << 20, tile: 256 * hashSize, history: 16 << 20, words: 1 << 20 };

const timeoutMilliseconds = 20_000;
const tries = 3;

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The part of an address that tells people which file it is. */
export const nameOf = (url) => decodeURIComponent(new URL(url).pathname);

/**
 * Reads a file. That it is missing is a Fault: the archive must have it. That it
 * could not be read, after some tries, is Unreachable, and says nothing about it.
 */
export async function read(url, limit) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readOnce(url, limit);
    } catch (fault) {
      if (!(fault instanceof Unreachable) || attempt === tries) throw fault;
      await pause(300 * 2 ** attempt);
    }
  }
}

async function readOnce(url, limit) {
  const file = nameOf(url);
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  let response;
  try {
    // no-cache: what the archive has now is asked for, not what it had before.
    response = await fetch(url, { cache: "no-cache", credentials: "omit", signal });
  } catch {
    throw new Unreachable("no_answer", { file });
  }
  // Stores of files answer 403 for what they lack, where they don't list what they have.
  if ([403, 404, 410].includes(response.status)) throw new Fault("missing", { file });
  if (!response.ok) throw new Unreachable("bad_answer", { file, status: `${response.status}` });
  const parts = [];
  let length = 0;
  try {
    for (let reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
      if (length > limit) {
        await reader.cancel();
        break;
      }
    }
  } catch {
    throw new Unreachable("no_answer", { file });
  }
  if (length > limit) throw new Fault("too_long", { file, limit: `${limit}` });
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Shows from the newer tree's tiles that it begins with the older tree, whose
 * entries are then all in it, unchanged and in their order. Returns the proof and
 * the tiles that it was made of.
 *
 * There are two ways for this to fail. Tiles that don't hash to the newer root are
 * not the newer tree's: the copy of the log is damaged. If they do, and the older
 * root is another one, then the two checkpoints are not of one log: a fork.
 */
export async function proveConsistent(older, newer, get) {
  if (older.size === newer.size || older.size === 0n) {
    if (older.size > 0n && !equal(older.root, newer.root)) throw forked(older, newer, newer.root);
    return { proof: [], tiles: [] };
  }
  const tree = new Tree(newer.size, get);
  const [proof, root] = await Promise.all([tree.consistencyProof(older.size), tree.root(older.size)]);
  const roots = await rootsOfConsistency(older.size, newer.size, root, proof);
  if (!equal(roots.second, newer.root)) throw new Fault("tiles_wrong", { files: tree.read.join(", ") });
  if (!equal(roots.first, older.root)) throw forked(older, newer, roots.first);
  return { proof, tiles: tree.read };
}

function forked(older, newer, found) {
  const fault = new Fault("forked", { size: `${older.size}`, expected: base64(older.root), found: base64(found) });
  // Two signed statements that contradict each other convict whoever signed them.
  fault.evidence = { reason: "forked", older: older.signed, newer: newer.signed };
  return fault;
}
