// Runs the modules of the pages against golden values that Go made. Each function
// returns what went wrong, as a list of texts.

import { Fault, base64, unbase64, utf8, wholeNumber } from "/scripts/bytes.js";
import { proveConsistent } from "/scripts/log.js";
import { Tree, leafHash, rootOfInclusion, rootsOfConsistency, tilePath } from "/scripts/merkle.js";
import { openCheckpoint, readKey, readProof } from "/scripts/note.js";

// Most proofs share most of their nodes, and each digest is made in another thread:
// what was hashed is not hashed again.
const digest = crypto.subtle.digest.bind(crypto.subtle);
const hashed = new Map();
crypto.subtle.digest = (name, bytes) => {
  if (bytes.length !== 65) return digest(name, bytes);
  const key = String.fromCharCode(...bytes);
  if (!hashed.has(key)) hashed.set(key, digest(name, bytes));
  return hashed.get(key);
};

const golden = async (name) => (await fetch(`/golden/${name}`)).json();

const flipped = (bytes, bit) => {
  const changed = bytes.slice();
  changed[(bit >> 3) % changed.length] ^= 1 << (bit & 7);
  return changed;
};

const same = (a, b) => base64(a) === base64(b);

/** What a promise comes to: its value, or the Fault that it ends in. */
async function outcome(promise) {
  try {
    return await promise;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return fault;
  }
}

/** Runs cases a few at a time, so that the browser hashes several at once. */
async function each(cases, run) {
  const wrong = [];
  const queue = cases.entries();
  const worker = async () => {
    for (const [i, it] of queue) await run(it, i, (text) => wrong.push(text));
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  return wrong.slice(0, 20);
}

/** Inclusion: each path leads to the root; a changed one does not. */
export async function inclusion(name) {
  const { hashes: texts, trees, alike } = await golden(name);
  const hashes = texts.map(unbase64);
  const cases = trees.flatMap((tree) => tree.proofs.map((proof) => ({ ...proof, size: BigInt(tree.size), root: hashes[tree.root] })));
  return each(cases, async ({ size, root, index, leaf, path }, i, fail) => {
    const at = BigInt(index);
    const way = path.map((hash) => hashes[hash]);
    const leads = async (...input) => {
      const found = await outcome(rootOfInclusion(...input));
      return found instanceof Uint8Array && same(found, root);
    };
    const where = `size ${size}, index ${index}`;
    if (!(await leads(hashes[leaf], at, size, way))) fail(`${where}: the proof fails`);
    // One change in turn, to every seventh proof: all kinds meet all shapes of trees.
    if (i % 7 !== 0) return;
    const one = way.length > 0 ? i % way.length : 0;
    const changes = [
      ["a flipped leaf", flipped(hashes[leaf], i), at, size, way],
      ["a path that is too long", hashes[leaf], at, size, [...way, root]],
      ["an index beyond the tree", hashes[leaf], size, size, way],
    ];
    if (way.length > 0) {
      changes.push(["a flipped path", hashes[leaf], at, size, way.with(one, flipped(way[one], i))]);
      changes.push(["a path that is too short", hashes[leaf], at, size, way.toSpliced(one, 1)]);
      // Where all leaves are alike, one is as good as its neighbour.
      if (!alike) changes.push(["another index", hashes[leaf], at === 0n ? 1n : at - 1n, size, way]);
    }
    const [what, ...input] = changes[(i / 7) % changes.length];
    if (await leads(...input)) fail(`${where}: ${what} passes`);
  });
}

/** Consistency proofs that Go made, of trees of any size. */
export async function consistency(name) {
  const { hashes: texts, pairs } = await golden(name);
  const hashes = texts.map(unbase64);
  return each(pairs, async (pair, i, fail) => {
    const [first, second] = [BigInt(pair.first), BigInt(pair.second)];
    const [firstRoot, secondRoot] = [hashes[pair.first_root], hashes[pair.second_root]];
    const proof = pair.proof.map((hash) => hashes[hash]);
    const holds = async (...input) => {
      const found = await outcome(rootsOfConsistency(first, second, ...input));
      return !(found instanceof Fault) && same(found.first, firstRoot) && same(found.second, secondRoot);
    };
    const where = `${first} to ${second}`;
    if (!(await holds(firstRoot, proof))) fail(`${where}: the proof fails`);
    if (i % 3 !== 0) return;
    const one = i % proof.length;
    const changes = [
      ["a proof that is too long", [...proof, firstRoot]],
      ["a flipped proof", proof.with(one, flipped(proof[one], i))],
      ["a proof that is too short", proof.toSpliced(one, 1)],
    ];
    const [what, changed] = changes[(i / 3) % changes.length];
    if (await holds(firstRoot, changed)) fail(`${where}: ${what} passes`);
  });
}

/** Tiles: the proofs and roots that are made of them are Go's. */
export async function tiles(name) {
  const { hashes: texts, pairs, tiles: files } = await golden(name);
  const get = async (path) => unbase64(files[path]);
  const trees = new Map();
  return each(pairs, async ({ first, second, first_root, second_root, proof }, _, fail) => {
    if (!trees.has(second)) trees.set(second, new Tree(BigInt(second), get));
    const tree = trees.get(second);
    const found = [await tree.root(BigInt(first)), await tree.root(), ...(await tree.consistencyProof(BigInt(first)))];
    const expected = [first_root, second_root, ...(first === second ? [] : proof)].map((hash) => texts[hash]);
    if (found.map(base64).join() !== expected.join()) fail(`${first} to ${second}: other hashes`);
    const last = BigInt(first) - 1n;
    const leads = await rootOfInclusion(await leafHash(utf8(`entry ${last}`)), last, BigInt(second), await tree.inclusionProof(last));
    if (base64(leads) !== texts[second_root]) fail(`${last} of ${second}: the inclusion proof does not lead to the root`);
  });
}

/** Tiles and roots that were tampered with: what is wrong is told. */
export async function tampered(name) {
  const { hashes: texts, pairs, tiles: files } = await golden(name);
  const hashes = texts.map(unbase64);
  const reader = (changed) => async (path) => {
    if (!(path in files)) throw new Fault("missing", { file: path });
    const tile = unbase64(files[path]);
    return changed?.(path, tile) ?? tile;
  };
  return each(pairs, async (pair, i, fail) => {
    const older = { size: BigInt(pair.first), root: hashes[pair.first_root], signed: "older" };
    const newer = { size: BigInt(pair.second), root: hashes[pair.second_root], signed: "newer" };
    const where = `${older.size} to ${newer.size}`;
    const expect = async (what, code, ...input) => {
      const found = await outcome(proveConsistent(...input));
      if ((found.code ?? "") !== code) fail(`${where}: ${what}: ${found.code}, not ${code}`);
      return found;
    };
    const { tiles: read } = await expect("nothing", "", older, newer, reader());
    const fault = await expect("another older root", "forked", { ...older, root: flipped(older.root, i) }, newer, reader());
    if (fault.evidence.older !== "older" || fault.evidence.newer !== "newer") fail(`${where}: no evidence`);
    if (older.size === newer.size) return;
    await expect("another newer root", "tiles_wrong", older, { ...newer, root: flipped(newer.root, i) }, reader());
    for (const path of read) {
      const only = (act) => reader((asked, tile) => (asked === path ? act(tile) : tile));
      await expect(`a short ${path}`, "tile_length", older, newer, only((tile) => tile.slice(1)));
      await expect(`a long ${path}`, "tile_length", older, newer, only((tile) => Uint8Array.from([...tile, 0])));
      const full = path.replace(/\.p\/\d+$/, ""); // which would do in its place
      await expect(`no ${path}`, "missing", older, newer, reader((asked, tile) => {
        if (asked === path || asked === full) throw new Fault("missing");
        return tile;
      }));
    }
    // Of a tree in one tile all its hashes are part of what is computed.
    if (read.length === 1) await expect("a flipped tile", "tiles_wrong", older, newer, reader((_, tile) => flipped(tile, i * 8 * 37)));
  });
}

/** A partial tile that is gone since the full one is there. */
export async function fullTiles(name) {
  const { hashes: texts, pairs, tiles: files } = await golden(name);
  const hashes = texts.map(unbase64);
  const wrong = [];
  for (const pair of pairs) {
    const get = async (path) => {
      if (!(path in files) || path.startsWith("tile/0/000.p/")) throw new Fault("missing", { file: path });
      return unbase64(files[path]);
    };
    const older = { size: BigInt(pair.first), root: hashes[pair.first_root] };
    const newer = { size: BigInt(pair.second), root: hashes[pair.second_root] };
    const found = await outcome(proveConsistent(older, newer, get));
    if (found instanceof Fault) wrong.push(`${pair.first} to ${pair.second}: ${found}`);
  }
  return wrong;
}

/** The paths of tiles. */
export async function paths(name) {
  const wrong = [];
  for (const { level, number, width, path } of await golden(name)) {
    const found = tilePath(level, BigInt(number), BigInt(width));
    if (found !== path) wrong.push(`${found}, not ${path}`);
  }
  return wrong;
}

/** Hashes of leaves. */
export async function leaves(name) {
  return each(await golden(name), async ({ data, hash }, _, fail) => {
    const found = base64(await leafHash(unbase64(data)));
    if (found !== hash) fail(`${data}: ${found}, not ${hash}`);
  });
}

/** Checkpoints and proofs, whole and damaged: each is taken or refused as in Go. */
export async function notes(name) {
  const { origin, keys: texts, checkpoints, proofs } = await golden(name);
  const keys = await Promise.all(texts.map(readKey));
  const wrong = await each(checkpoints, async ({ text, size, refused }, _, fail) => {
    const found = await outcome(openCheckpoint(unbase64(text), origin, keys));
    const got = found instanceof Fault ? found.code : "";
    if (!refused.split(" ").includes(got) || (got === "" && `${found.size}` !== size)) fail(`${atob(text)}: ${got}, not ${refused}`);
  });
  return wrong.concat(
    await each(proofs, async ({ text, entry, taken }, _, fail) => {
      const found = await outcome(check(unbase64(text), unbase64(entry), origin, keys));
      if (taken === found instanceof Fault) fail(`${atob(text)}: ${found}, taken by Go: ${taken}`);
    }),
  );
}

/** All that a proof file shows by itself. */
async function check(text, entry, origin, keys) {
  const proof = readProof(text);
  const checkpoint = await openCheckpoint(proof.checkpoint, origin, keys);
  if (proof.extra === null || !same(proof.extra, entry)) throw new Fault("proof_of_other");
  const root = await rootOfInclusion(await leafHash(entry), proof.index, checkpoint.size, proof.path);
  if (!same(root, checkpoint.root)) throw new Fault("not_included");
  return checkpoint;
}

/** Keys, numbers and base64 that are refused. */
export async function refused() {
  const wrong = [];
  const good = "example.com/tally+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
  const keys = ["", "+", "a+b", "a+b+c", good.slice(1), good.toUpperCase(), good.replace("+53", "+54"), good.slice(0, -1), `${good}=`, ` ${good}`, `${good}\n`,
    good.replace("+Ae", "+Be"), "example.com/tally+530d903a+", "\ud800+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"];
  for (const key of keys) {
    const found = await outcome(readKey(key));
    if (!(found instanceof Fault)) wrong.push(`the key ${key} is taken`);
  }
  for (const text of ["", "-1", "+1", "01", "1.0", "1e3", " 1", "1 ", "\u0661", "9223372036854775808", "99999999999999999999"]) {
    if (wholeNumber(text) !== null) wrong.push(`the number ${text} is taken`);
  }
  for (const [text, value] of [["0", 0n], ["9007199254740993", 9007199254740993n], ["9223372036854775807", 2n ** 63n - 1n]]) {
    if (wholeNumber(text) !== value) wrong.push(`the number ${text} is refused`);
  }
  for (const text of ["A", "AA", "AA=", "AA==\n", "A A=", "AB==", "AAA", "AA-_", "AAAA\u0100", "====", "AA==AA=="]) {
    if (unbase64(text) !== null) wrong.push(`the base64 ${text} is taken`);
  }
  for (const size of [0n, 1n]) {
    const tree = new Tree(size, () => Promise.reject(new Fault("missing")));
    for (const read of [() => tree.root(2n), () => tree.root(0n), () => tree.consistencyProof(2n)]) {
      if (!((await outcome(Promise.resolve().then(read))) instanceof Fault)) wrong.push(`a tree of size ${size} answers`);
    }
  }
  return wrong;
}
