// Merkle trees as RFC 6962, section 2.1, defines them; the two algorithms of
// RFC 9162, section 2.1, that verify a proof; and the tiles in which a log in the
// format tlog-tiles of C2SP publishes its tree.
//
// Sizes and indexes are BigInts, hashes are Uint8Arrays of 32 bytes.

import { Fault, sha256 } from "./bytes.js";

export const hashSize = 32;
const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** Returns the hash of an entry as a leaf. */
export const leafHash = (entry) => sha256(leafPrefix, entry);

/** Returns the hash of a node by those of its two children. */
export const nodeHash = (left, right) => sha256(nodePrefix, left, right);

const isOdd = (n) => (n & 1n) === 1n;

/** Returns the largest power of two below n, which is 2 or more. */
const split = (n) => 1n << BigInt((n - 1n).toString(2).length - 1);

/**
 * Returns the root to which a path leads from a leaf: RFC 9162, section 2.1.3.2.
 * That it is the root of the log is for the caller to compare.
 */
export async function rootOfInclusion(leaf, index, size, path) {
  if (index >= size) throw new Fault("index_beyond_tree", { index: `${index}`, size: `${size}` });
  let [fn, sn, root] = [index, size - 1n, leaf];
  for (const hash of path) {
    if (sn === 0n) throw new Fault("path_length");
    if (isOdd(fn) || fn === sn) {
      root = await nodeHash(hash, root);
      while (!isOdd(fn) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      root = await nodeHash(root, hash);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  if (sn !== 0n) throw new Fault("path_length");
  return root;
}

/**
 * Returns the two roots to which a consistency proof leads: that of the first,
 * smaller tree and that of the second: RFC 9162, section 2.1.4.2. Where the size
 * of the first is a power of two, its root is part of the proof and is given.
 */
export async function rootsOfConsistency(first, second, firstRoot, proof) {
  if (first === 0n || first >= second) throw new Fault("path_length");
  const path = (first & (first - 1n)) === 0n ? [firstRoot, ...proof] : [...proof];
  if (path.length === 0) throw new Fault("path_length");
  let [fn, sn] = [first - 1n, second - 1n];
  while (isOdd(fn)) [fn, sn] = [fn >> 1n, sn >> 1n];
  let [firstComputed, secondComputed] = [path[0], path[0]];
  for (const hash of path.slice(1)) {
    if (sn === 0n) throw new Fault("path_length");
    if (isOdd(fn) || fn === sn) {
      firstComputed = await nodeHash(hash, firstComputed);
      secondComputed = await nodeHash(hash, secondComputed);
      while (!isOdd(fn) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      secondComputed = await nodeHash(secondComputed, hash);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  if (sn !== 0n) throw new Fault("path_length");
  return { first: firstComputed, second: secondComputed };
}

/** The levels of the tree that a tile spans, and how many hashes it has. */
const tileHeight = 8;
const tileWidth = 256n;

/** Returns the path of a tile; width is below 256 for a partial one. */
export function tilePath(level, number, width = tileWidth) {
  const digits = number.toString();
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g);
  const name = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join("/");
  return `tile/${level}/${name}${width < tileWidth ? `.p/${width}` : ""}`;
}

/**
 * Tree computes hashes of a log's tree of some size from its tiles. What it
 * returns is as good as the tiles: it is for the caller to see that they hash to a
 * root that was signed.
 */
export class Tree {
  #get;
  #tiles = new Map();
  #nodes = new Map();

  /**
   * @param {bigint} size
   * @param {(path: string) => Promise<Uint8Array>} get reads a file of the log; it
   *   throws a Fault whose code is "missing" where there is none
   */
  constructor(size, get) {
    this.size = size;
    this.#get = get;
    /** The paths of the tiles that were read. */
    this.read = [];
  }

  /** Returns the root that the tree had when it was of some smaller size. */
  root(size = this.size) {
    if (size > this.size || size === 0n) throw new Fault("path_length");
    return this.#range(0n, size);
  }

  /** Returns the consistency proof from a smaller size: RFC 6962, section 2.1.2. */
  async consistencyProof(first) {
    if (first > this.size || first === 0n) throw new Fault("path_length");
    const parts = [];
    let [start, left, right, whole] = [0n, first, this.size, true];
    while (left !== right) {
      const k = split(right);
      if (left <= k) {
        parts.unshift([start + k, right - k]);
        right = k;
      } else {
        parts.unshift([start, k]);
        [start, left, right, whole] = [start + k, left - k, right - k, false];
      }
    }
    if (!whole) parts.unshift([start, right]);
    return Promise.all(parts.map(([from, count]) => this.#range(from, count)));
  }

  /** Returns the inclusion proof of a leaf: RFC 6962, section 2.1.1. */
  inclusionProof(index) {
    const parts = [];
    for (let [start, count] = [0n, this.size]; count > 1n; ) {
      const k = split(count);
      const right = index >= start + k;
      parts.unshift(right ? [start, k] : [start + k, count - k]);
      [start, count] = right ? [start + k, count - k] : [start, k];
    }
    return Promise.all(parts.map(([from, count]) => this.#range(from, count)));
  }

  /** The hash of the tree over some leaves, whose first one begins a subtree. */
  async #range(start, count) {
    const level = count.toString(2).length - 1;
    if (count === 1n << BigInt(level)) return this.#node(level, start >> BigInt(level));
    const k = split(count);
    return nodeHash(...(await Promise.all([this.#range(start, k), this.#range(start + k, count - k)])));
  }

  /** The hash of a complete subtree of 2^level leaves. */
  #node(level, index) {
    const name = `${level}/${index}`;
    if (!this.#nodes.has(name)) this.#nodes.set(name, this.#compute(level, index));
    return this.#nodes.get(name);
  }

  async #compute(level, index) {
    if (level % tileHeight === 0) return this.#stored(level / tileHeight, index);
    return nodeHash(...(await Promise.all([this.#node(level - 1, 2n * index), this.#node(level - 1, 2n * index + 1n)])));
  }

  /** A hash that a tile has. */
  async #stored(level, index) {
    const tile = await this.#tile(level, index / tileWidth);
    const at = Number(index % tileWidth) * hashSize;
    return tile.slice(at, at + hashSize);
  }

  #tile(level, number) {
    const name = `${level}/${number}`;
    if (!this.#tiles.has(name)) this.#tiles.set(name, this.#fetch(level, number));
    return this.#tiles.get(name);
  }

  async #fetch(level, number) {
    const hashes = (this.size >> BigInt(tileHeight * level)) - number * tileWidth;
    const width = hashes < tileWidth ? hashes : tileWidth;
    const path = tilePath(level, number, width);
    try {
      return this.#checked(path, await this.#get(path), width);
    } catch (fault) {
      if (fault.code !== "missing" || width === tileWidth) throw fault;
      // A log may drop a partial tile once it has the full one, which begins with it.
      const full = tilePath(level, number);
      const tile = await this.#get(full).catch((again) => {
        throw again.code === "missing" ? fault : again;
      });
      return this.#checked(full, tile, tileWidth);
    }
  }

  #checked(path, tile, width) {
    if (tile.length !== Number(width) * hashSize) throw new Fault("tile_length", { file: path });
    this.read.push(path);
    return tile;
  }
}
