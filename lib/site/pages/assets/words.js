// The words of the pages in the page's language, as words.<language>.json has them:
// the same texts from which the pages were made.

import { textOf } from "./bytes.js";
import { limits, read } from "./log.js";

/** Escapes a text for HTML. */
export const escape = (text) => `${text}`.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export class Words {
  /** @param {{lang: string, group: string, texts: Object<string, Object<string, string>>}} file by key and plural form */
  constructor({ lang, group, texts }) {
    this.plurals = new Intl.PluralRules(lang);
    this.group = group;
    this.texts = new Map(Object.entries(texts));
  }

  /** Reads the words of a language. */
  static async read(url) {
    return new Words(JSON.parse(textOf(await read(url, limits.words))));
  }

  /** Returns a text as it stands, undefined where there is none. */
  raw(key) {
    return this.texts.get(key)?.other;
  }

  /** Returns a text with its places {{.Such}} filled. */
  text(key, values = {}, form = "other") {
    const forms = this.texts.get(key);
    if (!forms) throw new Error(`there is no text ${key}`);
    return (forms[form] ?? forms.other).replace(/\{\{\.(\w+)\}\}/g, (place, name) => values[name] ?? place);
  }

  /** Returns a text about so many things. */
  count(key, n, values = {}) {
    const count = `${n}`.replace(/\B(?=(\d{3})+$)/g, this.group);
    return this.text(key, { ...values, Count: count }, this.plurals.select(n));
  }

  /** Returns a time as the page of a draw of some day writes it. */
  moment(day, at) {
    const [date, clock] = at.replace(/(\.000)?Z$/, "").split("T");
    if (date === day) return clock;
    const [year, month, number] = date.split("-");
    return `${this.text("date.day", { Day: number.replace(/^0/, ""), Month: this.text(`date.month${month}`), Year: year })}, ${clock}`;
  }

  /** Returns the text of a code, or the code itself where there is none. */
  code(family, code) {
    return this.texts.has(`${family}.${code}`) ? this.text(`${family}.${code}`) : code;
  }
}
