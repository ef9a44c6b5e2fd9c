import type { Field } from "../model/field.ts";

/**
 * Says why Prometheus would refuse a regular expression, or undefined. One that does not compile makes it refuse the
 * whole configuration, and so takes the jobs of everybody else along. It follows the grammar of RE2 as Go has it, which
 * knows no look-around and no back-references, and bounds what an expression may become. What only some versions take,
 * such as `(?<name>…)`, is refused.
 */
export function re2Problem(text: string): string | undefined {
  if (text.length > maxLength) return `it is longer than ${maxLength} characters`;
  return new Scanner(text).problem();
}

const maxLength = 65_536;
const maxRepeat = 1000;
/** Go counts what is nested, of which a group can be several levels, and stops at a thousand. */
const maxDepth = 200;
/** Each repetition is compiled as often as it repeats. */
const maxSize = 100_000;

/** Escapes that stand for one character, in brackets or not. */
const escapedCharacter =
  /\\(?:x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,8})\})|([1-7][0-7]{1,2}|0[0-7]{0,2})|([afnrtv])|([!-/:-@[-`{-~ ]))/uy;
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const namedClass = /\\(?:[dDsSwW]|[pP](?:([A-Za-z])|\{(\^?\w+)\}))/uy;
const zeroWidth = /\\[bBAz]/uy;
const quoted = /\\Q([^]*?)\\E/uy;
const quantifier = /(?:[*+?]|\{(\d{1,9})(?:(,)(\d{0,9}))?\})\??/uy;
const group = /\((?:\?(?:P<\w+>|[imsU]*(?:-[imsU]+)?[:)]))?/uy;

/** A group that is open, or the whole. */
interface Frame {
  /** How much it becomes. */
  size: number;
  /** How often the innermost of it is repeated. */
  repeats: number;
}

class Scanner {
  readonly #text: string;
  readonly #open: Frame[] = [{ size: 0, repeats: 1 }];
  #at = 0;
  /** Whether a `:]` may still come; looking for it from each place would take for ever. */
  #mayHavePosix = true;
  /** The part that a quantifier at this place would repeat. */
  #last: Frame | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | undefined {
    while (this.#at < this.#text.length) {
      const problem = this.#step();
      if (problem !== undefined) return problem;
    }
    return this.#open.length > 1 ? "a parenthesis is not closed" : undefined;
  }

  #step(): string | undefined {
    switch (this.#text.charAt(this.#at)) {
      case "(":
        return this.#openGroup();
      case ")":
        return this.#closeGroup();
      case "[":
        return this.#brackets();
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
      case "{":
        return this.#repeat();
      case "|":
        this.#at += 1;
        this.#last = undefined;
        return undefined;
      default:
        this.#at += this.#character().length;
        return this.#add(1);
    }
  }

  #openGroup(): string | undefined {
    const opening = this.#take(group)?.[0] ?? "(";
    if (opening === "(" && this.#text.charAt(this.#at) === "?")
      return "it uses a group that RE2 does not know";
    this.#last = undefined;
    // Flags alone open nothing.
    if (opening.endsWith(")")) return undefined;
    this.#open.push({ size: 1, repeats: 1 });
    return this.#open.length > maxDepth ? `parentheses are nested deeper than ${maxDepth} levels` : undefined;
  }

  #closeGroup(): string | undefined {
    const closed = this.#open.length > 1 ? this.#open.pop() : undefined;
    if (closed === undefined) return "a parenthesis is closed that was not opened";
    this.#at += 1;
    return this.#add(closed.size, closed.repeats);
  }

  #repeat(): string | undefined {
    const match = this.#take(quantifier);
    if (match === undefined) {
      this.#at += 1;
      return this.#add(1);
    }
    const last = this.#last;
    if (last === undefined) return "a quantifier repeats nothing";
    this.#last = undefined;
    const [, low, comma, high] = match;
    if (low === undefined) return undefined;
    const most = high === undefined || high === "" ? Number(low) : Number(high);
    if (Number(low) > maxRepeat || most > maxRepeat)
      return `a quantifier repeats more than ${maxRepeat} times`;
    if (comma !== undefined && Number(low) > most) return "a quantifier has its limits the wrong way round";
    return this.#multiply(last, Math.max(1, most));
  }

  #multiply(last: Frame, times: number): string | undefined {
    const repeats = last.repeats * times;
    if (repeats > maxRepeat) return `quantifiers in each other repeat more than ${maxRepeat} times`;
    const problem = this.#add(last.size * (times - 1), repeats);
    this.#last = undefined;
    return problem;
  }

  /** Something that may be repeated stands here. */
  #add(size: number, repeats = 1): string | undefined {
    this.#last = { size, repeats };
    const frame = this.#open.at(-1);
    if (frame === undefined) return undefined;
    frame.size += size;
    frame.repeats = Math.max(frame.repeats, repeats);
    return frame.size > maxSize ? "it becomes too large when its repetitions are written out" : undefined;
  }

  #escape(): string | undefined {
    const literal = this.#take(quoted)?.[1];
    if (literal !== undefined) return literal === "" ? undefined : this.#add(literal.length);
    if (this.#take(zeroWidth) !== undefined) return this.#add(1);
    const isKnown = this.#takeClass() ?? this.#takeCharacter() !== undefined;
    return isKnown ? this.#add(1) : "an escape sequence is unknown";
  }

  /** `[…]`: characters, ranges of them and named classes. */
  #brackets(): string | undefined {
    this.#at += this.#text.startsWith("[^", this.#at) ? 2 : 1;
    for (let isFirst = true; isFirst || this.#text.charAt(this.#at) !== "]"; isFirst = false) {
      if (this.#at >= this.#text.length) return "a bracket is not closed";
      const problem = this.#bracketItem();
      if (problem !== undefined) return problem;
    }
    this.#at += 1;
    return this.#add(1);
  }

  #bracketItem(): string | undefined {
    const posix = this.#takePosixName();
    if (posix !== undefined) return isPosixClass(posix) ? undefined : "a class of characters is unknown";
    const named = this.#takeClass();
    if (named !== undefined) return named ? undefined : "a class of characters is unknown";
    const low = this.#takeCharacter();
    if (low === undefined) return "an escape sequence is unknown";
    if (this.#text.charAt(this.#at) !== "-" || "]".includes(this.#text.charAt(this.#at + 1)))
      return undefined;
    this.#at += 1;
    const high = this.#takeCharacter();
    if (high === undefined) return "an escape sequence is unknown";
    return high < low ? "a range of characters has its limits the wrong way round" : undefined;
  }

  /** `alpha` of `[:alpha:]`. */
  #takePosixName(): string | undefined {
    if (!this.#mayHavePosix || !this.#text.startsWith("[:", this.#at)) return undefined;
    const start = this.#at + 2;
    const end = this.#text.indexOf(":]", start);
    this.#mayHavePosix = end !== -1;
    if (end === -1) return undefined;
    this.#at = end + 2;
    return this.#text.slice(start, end);
  }

  /** Whether the class that is named here is known; undefined if none is. */
  #takeClass(): boolean | undefined {
    const match = this.#take(namedClass);
    const name = match?.[1] ?? match?.[2];
    if (match === undefined) return undefined;
    return name === undefined || isUnicodeClass(name);
  }

  /** The code of the character, which may be escaped. */
  #takeCharacter(): number | undefined {
    if (this.#text.charAt(this.#at) !== "\\") {
      const character = this.#character();
      this.#at += character.length;
      return character.codePointAt(0);
    }
    const match = this.#take(escapedCharacter);
    if (match === undefined) return undefined;
    const [, short, long, octal, control, itself] = match;
    if (octal !== undefined) return Number.parseInt(octal, 8);
    if (control !== undefined) return controls[control];
    if (itself !== undefined) return itself.codePointAt(0);
    const code = Number.parseInt(short ?? long ?? "", 16);
    return code <= 0x10_ff_ff ? code : undefined;
  }

  #character(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#at = pattern.lastIndex;
    return match;
  }
}

/** Classes of characters that RE2 has names for. */
const posix = new Set(
  "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split(" "),
);

/** In brackets: `[:alpha:]`. */
function isPosixClass(name: string): boolean {
  return posix.has(name.replace(/^\^/u, ""));
}

const categories =
  "Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";

/** Not all of them: which there are depends on what a collector was built with, and these all have had for long. */
const scripts =
  "Arabic Armenian Bengali Bopomofo Braille Cherokee Common Coptic Cyrillic Devanagari Ethiopic Georgian Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Inherited Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Ogham Oriya Runic Sinhala Syriac Tamil Telugu Thaana Thai Tibetan Yi";

const unicode = new Set(`${categories} ${scripts}`.split(" "));

/** As in `\p{Greek}`. */
function isUnicodeClass(name: string): boolean {
  return unicode.has(name.replace(/^\^/u, ""));
}

/** The name of a port, which becomes a regular expression; names that Kubernetes accepts are always one. */
export function readPortName(field: Field): string | undefined {
  const name = field.word();
  const problem = name === undefined ? undefined : re2Problem(name);
  if (problem !== undefined) {
    field.reject(`${field.path} is no name of a port: ${problem}.`, "Give the name that the port has.");
  }
  return name;
}
