// What happened in a draw, read from an entry's facts and outcome, and drawn and told
// as the pages do: for each game its picture, its result, and the result in one line.
// Either of the two may be missing: facts that are too large are not in the log, and
// a void draw has no outcome.

import { burned, isCard, laid, short, suits } from "./cards.js";
import { escape } from "./words.js";

/** Odd says that facts have not the form that can be drawn: they are shown as JSON. */
export class Odd extends Error {}

/** Returns a reader of values that may be missing, and then are empty. */
const reader = (empty, is) => (value) => {
  if (value === undefined || value === null) return empty();
  if (!is(value)) throw new Odd();
  return value;
};

const int = reader(() => 0, Number.isSafeInteger);
const text = reader(() => "", (value) => typeof value === "string");
const flag = reader(() => false, (value) => typeof value === "boolean");
const list = reader(() => [], Array.isArray);
const object = reader(() => ({}), (value) => typeof value === "object" && !Array.isArray(value));
const card = reader(() => { throw new Odd(); }, isCard);
const cards = (value) => list(value).map(card);
const oneCard = (value) => (value === undefined || value === null ? [] : [card(value)]);
const ints = (value) => list(value).map(int);

const joined = (by, ...texts) => texts.filter((text) => text !== "").join(by);

/** Writes a tag, such as one that says that something does not count. */
const tag = (text, kind = "") => `<span class="tag${kind}">${escape(text)}</span>`;
const notCounted = (words) => ` ${tag(words.text("table.not_counted"))}`;
const winner = (words) => ` <span class="winner">${escape(words.text("table.wins"))}</span>`;

/** The most tries that are drawn of those that did not count. */
const maxTries = 20;

const paints = {
  red: "#bd1f27", black: "#15181b", grey: "#6d757c", green: "#12804d", gold: "#f2c14e",
  white: "#f3f1ea", blue: "#2563c9", yellow: "#f4c430",
};

function baccarat(facts, outcome) {
  const [player, banker, away] = [facts.player, facts.banker, facts.burned].map(cards);
  const won = text(outcome.winner);
  const natural = flag(outcome.natural);
  const points = { player: int(outcome.player_points), banker: int(outcome.banker_points) };
  const pairs = { player: flag(outcome.player_pair), banker: flag(outcome.banker_pair), perfect: flag(outcome.perfect_pair) };
  const [dealt, size] = [int(outcome.cards), text(outcome.size)];
  const side = (words, name, hand) => {
    const counted = `<p class="points"><b>${points[name]}</b> ${escape(words.count("baccarat.points_word", points[name]))}${pairs[name] ? ` ${tag(words.text("baccarat.pair"))}` : ""}</p>`;
    return `<div class="side${won === name ? " wins" : ""}"><h3>${escape(words.code("baccarat", name))}${won === name ? winner(words) : ""}</h3>${laid(words, hand, undefined, (at) => at === 2)}${won === "" ? "" : counted}</div>`;
  };
  return {
    picture: (words) => `${suits}<div class="felt two">${side(words, "player", player)}${side(words, "banker", banker)}</div>${burned(words, away)}`,
    result: (words) => [
      [words.text("baccarat.winner"), words.code("baccarat", won)],
      [words.text("baccarat.points"), words.text("baccarat.points_of_both", { Player: points.player, Banker: points.banker })],
      [words.text("baccarat.natural"), words.text(natural ? "table.yes" : "table.no")],
      [words.text("baccarat.cards"), words.text("baccarat.cards_and_size", { Cards: dealt, Size: words.code("baccarat", size) })],
      [words.text("baccarat.pairs"), joined(", ", ...Object.keys(pairs).filter((name) => pairs[name]).map((name) => words.text(`baccarat.${name}_pair`))) || words.text("baccarat.no_pair")],
    ],
    line: (words) => `${words.code("baccarat", won)} ${points.player} : ${points.banker}${natural ? ` \u00b7 ${words.text("baccarat.natural")}` : ""}`,
  };
}

function war(facts, outcome) {
  const [player, dealer] = [facts.player, facts.dealer].map(oneCard);
  const away = cards(facts.burned);
  const won = text(outcome.winner);
  const side = (words, name, hand) =>
    `<div class="side${won === name ? " wins" : ""}"><h3>${escape(words.code("war", name))}${won === name ? winner(words) : ""}</h3>${laid(words, hand)}</div>`;
  return {
    picture: (words) => `${suits}<div class="felt two">${side(words, "player", player)}${side(words, "dealer", dealer)}${won === "war" ? `<p class="between">${escape(words.text("war.war"))}</p>` : ""}</div>${burned(words, away)}`,
    result: (words) => [[words.text("war.winner"), words.code("war", won)]],
    line: (words) => joined(" \u00b7 ", words.code("war", won), joined(" : ", short(player), short(dealer))),
  };
}

function poker(facts, outcome) {
  const hands = list(facts.hands).map(cards);
  const [board, away] = [facts.board, facts.burned].map(cards);
  const winners = ints(outcome.winners);
  const combination = text(outcome.combination);
  const judged = list(outcome.hands).map(object).map(({ category, best }) => ({ category: text(category), best: cards(best) }));
  if (judged.length > 0 && hands.length > 0 && judged.length !== hands.length) throw new Odd();
  const winning = (words) => words.count("poker.hands", winners.length, { Numbers: winners.join(", ") });
  const hand = (words, number) => {
    const { category, best } = judged[number - 1] ?? { category: "", best: [] };
    const wins = winners.includes(number);
    return `<li class="side${wins ? " wins" : ""}"><h3>${escape(words.text("poker.hand", { Number: number }))}${wins ? winner(words) : ""}</h3>` +
      laid(words, hands[number - 1] ?? [], (code) => wins && best.includes(code)) +
      (category === "" ? "" : `<p class="points"><b>${escape(words.code("category", category))}</b></p>`) +
      (best.length === 0 ? "" : `<p class="best"><small>${escape(words.text("poker.best"))}</small> ${short(best)}</p>`) + "</li>";
  };
  const marked = (code) => winners.some((number) => judged[number - 1]?.best.includes(code));
  const numbers = Array.from({ length: Math.max(hands.length, judged.length) }, (_, i) => i + 1);
  return {
    picture: (words) => `${suits}<div class="felt poker"><div class="board"><h3>${escape(words.text("poker.board"))}</h3>${laid(words, board, marked)}</div>` +
      `<ol class="hands">${numbers.map((number) => hand(words, number)).join("")}</ol></div>${burned(words, away)}`,
    result: (words) => [[words.text("poker.winners"), winning(words)], [words.text("poker.combination"), words.code("category", combination)]],
    line: (words) => `${winning(words)} \u00b7 ${words.code("category", combination)}`,
  };
}

function blackjack(facts, outcome) {
  const judge = (value) => ({ total: int(value.total), blackjack: flag(value.blackjack), bust: flag(value.bust), result: text(value.result) });
  const [dealer, away] = [facts.dealer, facts.burned].map(cards);
  const dealt = outcome.dealer === undefined || outcome.dealer === null ? null : judge(object(outcome.dealer));
  const played = list(facts.seats).map(object).map(({ seat, split, hands }) => ({
    seat: int(seat), split: flag(split), hands: list(hands).map(object).map((hand) => ({ cards: cards(hand.cards), doubled: flag(hand.doubled) })),
  }));
  const judged = list(outcome.seats).map(object).map(({ seat, hands }) => ({ seat: int(seat), hands: list(hands).map(object).map(judge) }));
  if (judged.length > 0 && played.length > 0) {
    if (judged.length !== played.length || judged.some(({ hands }, i) => hands.length !== played[i].hands.length)) throw new Odd();
  }
  const total = (words, { total, blackjack, bust }) => {
    if (blackjack) return words.text("blackjack.blackjack");
    return bust ? `${total}, ${words.text("blackjack.bust")}` : `${total}`;
  };
  const hand = (words, { cards, doubled }, found) =>
    `<div class="side${found ? ` ${escape(found.result)}` : ""}">${laid(words, cards, undefined, (at) => doubled && at === 2)}<p class="points">` +
    (found ? `<b>${escape(total(words, found))}</b> ${tag(words.code("blackjack", found.result), ` ${escape(found.result)}`)}` : "") +
    (doubled ? ` ${tag(words.text("blackjack.doubled"))}` : "") + "</p></div>";
  const seat = (words, { seat, split, hands }, i) =>
    `<li class="seat"><h3>${escape(words.text("blackjack.seat", { Number: seat }))}${split ? ` ${tag(words.text("blackjack.split"))}` : ""}</h3>` +
    hands.map((it, k) => hand(words, it, judged[i]?.hands[k])).join("") + "</li>";
  const label = (words, { seat, hands }, i) =>
    (hands.length > 1 ? words.text("blackjack.seat_and_hand", { Number: seat, Hand: i + 1 }) : words.text("blackjack.seat", { Number: seat }));
  return {
    picture: (words) => `${suits}<div class="felt blackjack"><div class="side dealer"><h3>${escape(words.text("blackjack.dealer"))}</h3>${laid(words, dealer)}` +
      (dealt ? `<p class="points"><b>${escape(total(words, dealt))}</b></p>` : "") +
      `</div><ol class="hands">${played.map((it, i) => seat(words, it, i)).join("")}</ol></div>${burned(words, away)}`,
    result: (words) => [
      ...(dealt ? [[words.text("blackjack.dealer"), total(words, dealt)]] : []),
      ...judged.flatMap((it) => it.hands.map((hand, i) => [label(words, it, i), `${total(words, hand)} \u00b7 ${words.code("blackjack", hand.result)}`])),
    ],
    line: (words) => {
      if (!dealt) return "";
      const results = judged.flatMap(({ hands }) => hands.map(({ result }) => result));
      const count = (result) => results.filter((it) => it === result).length;
      return [`${words.text("blackjack.dealer")} ${total(words, dealt)}`,
        ...["win", "push", "lose"].filter(count).map((result) => words.count(`blackjack.count_${result}`, count(result)))].join(" \u00b7 ");
    },
  };
}

/** The places of the pips of a die that is 100 wide. */
const dots = [[], [[50, 50]], [[28, 28], [72, 72]], [[26, 26], [50, 50], [74, 74]], [[28, 28], [72, 28], [28, 72], [72, 72]],
  [[27, 27], [73, 27], [50, 50], [27, 73], [73, 73]], [[29, 25], [71, 25], [29, 50], [71, 50], [29, 75], [71, 75]]];

const die = (face) =>
  `<svg class="die" width="56" height="56" viewBox="-2 -2 104 104" role="img" aria-label="${face}"><rect class="paper" width="100" height="100" rx="18" fill="#fff" stroke="#888"/>` +
  `${(dots[face] ?? []).map(([x, y]) => `<circle cx="${x}" cy="${y}" r="10"/>`).join("")}</svg>`;

function dice(facts, outcome) {
  const rolls = list(facts.rolls).map(object).map(({ dice, faults }) => ({ dice: ints(dice), faults: list(faults).map(text) }));
  const [combination, arranged, sum] = [text(outcome.combination), ints(outcome.arranged), int(outcome.sum)];
  const roll = (words, { dice, faults }, i) => {
    const faulty = faults.length > 0;
    return `<div class="roll${faulty ? " faulty" : ""}"><h3>${escape(words.text("dice.roll", { Number: i + 1 }))}${faulty ? notCounted(words) : ""}</h3>` +
      `<div class="dice">${dice.map(die).join("")}</div>${faulty ? `<p class="fault">${escape(faults.map((code) => words.code("reason", code)).join(". "))}</p>` : ""}</div>`;
  };
  const sorted = (words) => (arranged.length === 0 ? "" : `<div class="roll arranged"><h3>${escape(words.text("dice.arranged"))}</h3><div class="dice">${arranged.map(die).join("")}</div></div>`);
  return {
    picture: (words) => `<div class="felt">${rolls.slice(0, maxTries).map((it, i) => roll(words, it, i)).join("")}${sorted(words)}</div>`,
    result: (words) => [[words.text("dice.combination"), words.code("combination", combination)], [words.text("dice.arranged"), arranged.join(" ")], [words.text("dice.sum"), `${sum}`]],
    line: (words) => `${arranged.join(" ")} \u00b7 ${words.code("combination", combination)} \u00b7 ${sum}`,
  };
}

/** Returns how a game of balls is read: so many count, and each has a colour. */
const lucky = (counting, colours, colourOf) => (facts, outcome) => {
  const balls = ints(facts.balls);
  const [sum, odd, even, first, last] = ["sum", "odd", "even", "first", "last"].map((name) => int(outcome[name]));
  const counts = object(outcome.colours);
  const numbers = colours.map((colour) => [colour, int(counts[colour])]);
  const ball = (words, number, i) => {
    const colour = colourOf(number);
    const name = words.code("ball", colour);
    const rim = ["white", "yellow"].includes(colour) ? "#4d5450" : "#f4faf7";
    return `<li${i >= counting ? ' class="ignored"' : ""}><svg class="ball ${colour}" width="64" height="64" viewBox="0 0 100 100" role="img" aria-label="${escape(words.text("lucky.ball", { Number: number, Colour: name }))}">` +
      `<circle cx="50" cy="50" r="47" fill="${paints[colour]}" stroke="${rim}" stroke-width="2"/><circle cx="50" cy="50" r="28" fill="#fff"${colour === "white" ? ' stroke="#c9c5b8" stroke-width="2"' : ""}/>` +
      `<text x="50" y="62" font-size="34" text-anchor="middle" fill="#14181b">${number}</text></svg> <span>${escape(name)}</span>${i >= counting ? notCounted(words) : ""}</li>`;
  };
  return {
    picture: (words) => `<div class="felt"><ol class="balls">${balls.map((number, i) => ball(words, number, i)).join("")}</ol>${sum === 0 ? "" : `<p class="points">${escape(words.text("lucky.sum"))} <b>${sum}</b></p>`}</div>`,
    result: (words) => [
      [words.text("lucky.sum"), `${sum}`],
      [words.text("lucky.parity"), words.text("lucky.odd_and_even", { Odd: odd, Even: even })],
      [words.text("lucky.first"), `${first}`],
      [words.text("lucky.last"), `${last}`],
      ...numbers.map(([colour, n]) => [words.code("balls", colour), `${n}`]),
    ],
    line: (words) => joined(" \u00b7 ", balls.slice(0, counting).join(" "), words.text("lucky.sum_is", { Sum: sum })),
  };
};

const turn = (i, parts) => ((i * 360) / parts).toFixed(2);

const outline = (colour, hit) => `fill="${paints[colour]}" ${hit ? 'stroke="#f2c14e" stroke-width="4"' : 'stroke="#f4faf7" stroke-width=".8"'}`;

/** The sectors of the wheel of fortune, in the order of their numbers. */
const fortune = Array.from({ length: 19 }, (_, i) => ({ name: i === 0 ? "cup" : `${i}`, colour: i === 0 ? "gold" : ["red", "black", "grey"][i % 3], turn: turn(i, 19) }));

const sector = ({ name, colour, turn }, hit) =>
  `<g class="sector ${colour}${hit ? " hit" : ""}" transform="rotate(${turn})"><path ${outline(colour, hit)} d="M0 0-16.46-98.64A100 100 0 0 1 16.46-98.64z"/>` +
  (name === "cup"
    ? '<path class="cup" fill="#2b2000" d="M-6-91H6v6a6 6 0 0 1-4.5 5.8V-75H4v2.5H-4V-75h2.5v-4.2A6 6 0 0 1-6-85z"/>'
    : `<text y="-78" font-size="15" text-anchor="middle" fill="#fff">${name}</text>`) + "</g>";

/** The list of spins, those that did not count too. */
const spun = (words, spins, told) =>
  spins.length === 0 ? "" : `<ol class="spins">${spins.map((spin) => `<li${spin.faulty ? ' class="faulty"' : ""}>${escape(words.text("wheel.spin", { Number: spin.number }))}: <span>${escape(told(words, spin))}</span>${spin.faulty ? notCounted(words) : ""}</li>`).join("")}</ol>`;

const numbered = (spins) => spins.map((spin, i) => ({ ...spin, number: i + 1, faulty: i < spins.length - 1 }));

function wheel(facts, outcome) {
  const spins = numbered(list(facts.spins).map(object).map(({ turns, sector }) => ({ turns: int(turns), sector: sector === undefined || sector === null ? null : text(sector) })));
  const [at, colour, parity] = [outcome.sector, outcome.colour, outcome.parity].map(text);
  const named = (words, name) => (name === "cup" ? words.text("wheel.cup") : name);
  const hit = fortune.find(({ name }) => name === at);
  const told = (words, spin) => `${spin.sector === null ? words.text("wheel.between") : named(words, spin.sector)} \u00b7 ${words.count("wheel.turns", spin.turns)}`;
  return {
    picture: (words) => `<div class="felt round"><svg class="wheel" width="320" height="340" viewBox="-110 -122 220 234" role="img" aria-label="${escape(at === "" ? words.text("wheel.wheel") : words.text("wheel.picture", { Sector: named(words, at) }))}">` +
      `<g transform="rotate(${/^\d+$/.test(at) ? turn(19 - Number(at), 19) : "0"})">${fortune.map((it) => sector(it)).join("")}${hit ? sector(hit, true) : ""}<circle r="24" fill="#0a3b2e" stroke="#f4faf7" stroke-width="1.5"/></g>` +
      `<path d="M-9-120H9L0-96z" fill="#f2c14e" stroke="#2b2000"/></svg>${spun(words, spins.slice(0, maxTries), told)}</div>`,
    result: (words) => [[words.text("wheel.sector"), named(words, at)],
      ...(colour === "" ? [] : [[words.text("wheel.colour"), words.code("colour", colour)], [words.text("wheel.parity"), words.code("parity", parity)]])],
    line: (words) => (colour === "" ? named(words, at) : joined(" \u00b7 ", at, words.code("colour", colour), words.code("parity", parity))),
  };
}

/** The pockets of a European wheel, clockwise. */
const pockets = [0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26]
  .map((number, i) => ({ number, colour: i === 0 ? "green" : ["black", "red"][i % 2], turn: turn(i, 37) }));

const pocket = ({ number, colour, turn }, hit) =>
  `<g class="sector ${colour}${hit ? " hit" : ""}" transform="rotate(${turn})"><path ${outline(colour, hit)} d="M0 0-8.48-99.64A100 100 0 0 1 8.48-99.64z"/><text y="-86" font-size="10.5" text-anchor="middle" fill="#fff">${number}</text>` +
  `${hit ? '<circle class="dot" cy="-70" r="5.5" fill="#fff" stroke="#14181b"/>' : ""}</g>`;

function roulette(facts, outcome) {
  const all = numbered(list(facts.spins).map(object).map(({ revolutions, pocket }) => ({ revolutions: int(revolutions), pocket: int(pocket) })));
  const spins = all.filter(({ faulty }, i) => i < maxTries || !faulty);
  const at = outcome.pocket === undefined || outcome.pocket === null ? -1 : int(outcome.pocket);
  if (at < -1 || at > 36 || (at === -1 && outcome.pocket === -1)) throw new Odd();
  const [colour, parity, half] = [outcome.colour, outcome.parity, outcome.half].map(text);
  const [dozen, column] = [outcome.dozen, outcome.column].map(int);
  const hit = pockets.find(({ number }) => number === at);
  const told = (words, spin) => `${words.text("roulette.pocket_is", { Pocket: spin.pocket })} \u00b7 ${words.count("roulette.revolutions", spin.revolutions)}`;
  const middle = () => `<g class="sector ${hit.colour}"><circle r="34" fill="${paints[hit.colour]}" stroke="#f4faf7" stroke-width="1.5"/><text y="13" font-size="38" text-anchor="middle" fill="#fff">${at}</text></g>`;
  return {
    picture: (words) => `<div class="felt round"><svg class="wheel roulette" width="340" height="340" viewBox="-112 -112 224 224" role="img" aria-label="${escape(words.text("roulette.picture", { Pocket: at }))}">` +
      `<circle r="110" fill="#0a3b2e" stroke="#d7c48a" stroke-width="2"/>${pockets.map((it) => pocket(it)).join("")}${hit ? pocket(hit, true) : ""}<circle r="56" fill="#0a3b2e" stroke="#f4faf7" stroke-width="1.5"/>${hit ? middle() : ""}</svg>` +
      `${spun(words, spins, told)}${all.length > spins.length ? `<p>${escape(words.count("roulette.more", all.length - spins.length))}</p>` : ""}</div>`,
    result: (words) => [[words.text("roulette.pocket"), `${at}`], [words.text("roulette.colour"), words.code("colour", colour)],
      ...(parity === "" ? [] : [[words.text("roulette.parity"), words.code("parity", parity)], [words.text("roulette.half"), words.code("half", half)],
        [words.text("roulette.dozen"), `${dozen}`], [words.text("roulette.column"), `${column}`]])],
    line: (words) => joined(" \u00b7 ", `${at}`, words.code("colour", colour), words.code("parity", parity)),
  };
}

const games = new Map(Object.entries({
  baccarat, live_baccarat: baccarat, dice, poker, war, wheel, blackjack, roulette,
  lucky5: lucky(5, ["white", "green", "red", "blue"], (number) => ["white", "green", "red", "blue"][Math.min(Math.floor(Math.max(number - 1, 0) / 9), 3)]),
  lucky7: lucky(7, ["yellow", "black"], (number) => (number % 4 <= 1 ? "yellow" : "black")),
}));

/** Reads what happened in a draw; null for what can't be drawn. */
export function tableOf(game, facts, outcome) {
  try {
    return games.get(game)?.(object(facts), object(outcome)) ?? null;
  } catch (error) {
    if (error instanceof Odd) return null;
    throw error;
  }
}
