// What the other modules share: bytes and their spellings, SHA-256, and the three
// ways in which a check can end other than well.

/** Fault says that something is not as it must be: the check failed. */
export class Fault extends Error {
  /**
   * @param {string} code names the text that people read, verify.fault.<code>
   * @param {Object<string, string>} values fill the places in that text
   */
  constructor(code, values = {}) {
    super(`${code} ${JSON.stringify(values)}`);
    this.code = code;
    this.values = values;
  }
}

/** Unreachable says that a file could not be had, which says nothing about it. */
export class Unreachable extends Fault {}

/** Unable says that this browser lacks what a check needs. */
export class Unable extends Fault {}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the bytes of a text. */
export const utf8 = (text) => encoder.encode(text);

/** Returns the text that bytes are, or null where they are not UTF-8. */
export function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Joins bytes. */
export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Reports whether two sequences of bytes are the same. */
export const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Writes bytes in base64. */
export const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

/** Reads base64; null where the text is not the one spelling of some bytes. */
export function unbase64(text) {
  let decoded;
  try {
    decoded = atob(text);
  } catch {
    return null;
  }
  // atob also takes spaces, missing padding and stray bits at the end.
  return btoa(decoded) === text ? Uint8Array.from(decoded, (c) => c.charCodeAt(0)) : null;
}

/** Writes bytes in hexadecimal. */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const maxInt64 = 2n ** 63n - 1n;

/**
 * Reads a whole number without sign and leading zeros, below 2^63; null for
 * anything else. Sizes and indexes of logs are BigInts: a Number is exact only up
 * to 2^53, and its bit operations only up to 2^31.
 */
export function wholeNumber(text) {
  if (!/^(0|[1-9][0-9]{0,18})$/.test(text)) return null;
  const number = BigInt(text);
  return number <= maxInt64 ? number : null;
}

/** Returns the SHA-256 of the parts, one after the other. */
export async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", concat(...parts)));
}
