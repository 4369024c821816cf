// The Verify button of a draw's page: nine checks that the result which the page
// shows is in the public log, each shown with what was computed.
//
// The checks are in steps.js, as a reference; this module shows them. What it says
// it has from the words of the page's language, not from the page, which may be a
// forged one; places {such} are filled here.

import { Unable, Unreachable, base64 } from "./bytes.js";
import { accept, forget } from "./memory.js";
import { steps } from "./steps.js";
import { Words } from "./words.js";

/** What can become of a step, with the mark that stands before it. */
const marks = { ok: "\u2713", failed: "\u2717", unreachable: "?", unable: "?", skipped: "\u2013" };

/** What is said where the words can't be read: a page's own word for it could be a forged one. */
const unread = {
  en: "Not verified: what this button has to say could not be read. That says nothing against the result. Try again later.",
  es: "Sin verificar: no se pudo leer lo que este botón tiene que decir. Eso no dice nada en contra del resultado. Inténtelo más tarde.",
  pt: "Não verificado: não se pôde ler o que este botão tem a dizer. Isso nada diz contra o resultado. Tente mais tarde.",
  uk: "Не перевірено: не вдалося прочитати те, що має сказати ця кнопка. Це нічого не каже проти результату. Спробуйте пізніше.",
};

/** Makes an element with a text or with children. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

class Panel {
  constructor(section) {
    this.section = section;
    this.button = this.part("button");
    this.button.addEventListener("click", () => this.verify());
    this.part("fallback").hidden = true;
    this.button.hidden = false;
  }

  part(name) {
    return this.section.querySelector(`[data-part="${name}"]`);
  }

  /** Returns a text with its places filled. */
  say(key, values = {}) {
    return (this.words.raw(`verify.${key}`) ?? key).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  }

  /** The values of a fault, with the part of the page that it is about by its name. */
  named({ part, ...values }) {
    return part ? { ...values, part: this.say(`part.${part}`) } : values;
  }

  /** What the page says about itself. */
  page() {
    const { draw, game, state, entry, proof, history, words, log, origin, keys } = this.section.dataset;
    const url = (path) => new URL(path, document.baseURI).href;
    return {
      draw, game, state, day: document.location.pathname.split("/").at(-2), origin, keys: keys.split(" "), address: document.location.href, shown: this.part("entry").textContent,
      entry: url(entry), proof: url(proof), history: url(history), words: url(words), log: url(log),
    };
  }

  async verify() {
    // The button stays what has the focus; a second press while it works does nothing.
    if (this.button.getAttribute("aria-disabled") === "true") return;
    this.button.setAttribute("aria-disabled", "true");
    this.part("steps").replaceChildren();
    try {
      this.words ??= await Words.read(this.page().words);
      await this.check();
      this.button.textContent = this.say("again");
    } catch {
      this.conclude("unreachable", unread[document.documentElement.lang] ?? unread.en);
    }
    this.button.removeAttribute("aria-disabled");
  }

  async check() {
    if (!globalThis.crypto?.subtle) {
      this.conclude("unable", this.say("fault.no_webcrypto"));
      return;
    }
    const known = { page: this.page(), words: this.words, failed: false };
    const results = [];
    for (const [i, step] of steps.entries()) {
      this.conclude("running", this.say("running", { number: i + 1, count: steps.length, step: this.say(`step.${step.name}`) }));
      results.push(await this.run(step, known));
    }
    const first = (result) => results.find((found) => found.result === result);
    const number = (found) => `${results.indexOf(found) + 1}`;
    const worst = first("failed") ?? first("unreachable") ?? first("unable");
    if (worst) {
      const means = worst.result === "unreachable" ? this.say("verdict.unreachable_means") : "";
      this.conclude(worst.result, this.say(`verdict.${worst.result}`, { number: number(worst) }), worst.says, means);
    } else {
      this.conclude("ok", this.say("verdict.ok"), this.say("verdict.ok_means"), this.say("verdict.not_checked"));
    }
  }

  /** Says what it comes to, and below it why, and what that leaves open. */
  conclude(result, text, ...more) {
    const verdict = this.part("verdict");
    verdict.dataset.result = result;
    verdict.replaceChildren(element("strong", {}, text), ...more.filter((it) => it !== "").flatMap((it) => [" ", element("span", {}, it)]));
  }

  /** Takes a step and shows it. */
  async run(step, known) {
    const details = [];
    const note = (label, value) => details.push([label, value]);
    let [result, says, fault] = ["ok", "", null];
    if (step.needs.some((need) => known[need] === undefined)) {
      [result, says] = ["skipped", this.say("fault.needs_earlier")];
    } else {
      try {
        const { code, values } = await step.check(known, note);
        says = this.say(`says.${code}`, values);
      } catch (error) {
        fault = error;
        result = error instanceof Unreachable ? "unreachable" : error instanceof Unable ? "unable" : "failed";
        // What is no Fault is a mistake in these modules. It must not pass as a check.
        says = error.code ? this.say(`fault.${error.code}`, this.named(error.values)) : this.say("fault.unexpected", { message: `${error}` });
        known.failed ||= result === "failed";
      }
    }
    this.show(step, result, says, details, fault, known.page.origin);
    return { result, says };
  }

  show(step, result, says, details, fault, origin) {
    const heading = element("p", { class: "step" }, element("span", { class: "sign", "aria-hidden": "true" }, marks[result]), " ",
      element("strong", {}, `${steps.indexOf(step) + 1}. ${this.say(`step.${step.name}`)}`), " ", element("span", { class: "result" }, this.say(`result.${result}`)));
    const item = element("li", { "data-step": step.name, "data-result": result }, heading, element("p", {}, says));
    if (details.length > 0) item.append(element("details", {}, element("summary", {}, this.say("details")), this.list(details)));
    const actions = this.actions(step, result, fault, origin);
    if (actions.length > 0) item.append(element("p", { class: "actions" }, ...actions));
    this.part("steps").append(item);
  }

  list(details) {
    const list = element("dl", {});
    for (const [label, value] of details) {
      list.append(element("dt", {}, this.say(`label.${label}`)));
      for (const line of [value].flat()) list.append(element("dd", {}, line instanceof Uint8Array ? base64(line) : `${line}`));
    }
    return list;
  }

  /** What people can do about a step: save evidence, accept a new key, forget. */
  actions(step, result, fault, origin) {
    const actions = [];
    if (fault?.evidence) {
      const text = JSON.stringify({ origin, at: new Date().toISOString(), ...fault.evidence }, null, 2);
      const href = URL.createObjectURL(new Blob([`${text}\n`], { type: "application/json" }));
      actions.push(element("a", { href, download: `evidence-${fault.evidence.reason}.json` }, this.say("save_evidence")));
    }
    if (fault?.keys) actions.push(this.action("accept_key", () => accept(origin, fault.keys)));
    if (step.name === "memory" && (result === "ok" || result === "failed")) actions.push(this.action("forget", () => forget(origin)));
    return actions;
  }

  /** A button that changes what is remembered, after it asked. */
  action(key, act) {
    const button = element("button", { type: "button", "data-action": key }, this.say(key));
    button.addEventListener("click", () => {
      if (!window.confirm(this.say(`${key}_ask`))) return;
      try {
        act();
        button.replaceWith(element("span", { role: "status" }, this.say(`${key}_done`)));
      } catch (fault) {
        button.replaceWith(element("span", { role: "status" }, this.say(`fault.${fault.code}`, fault.values)));
      }
    });
    return button;
  }
}

const section = document.getElementById("verify");
if (section) new Panel(section);
