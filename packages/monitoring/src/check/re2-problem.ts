/**
 * Says why Prometheus would refuse a regular expression, or undefined. One that does not compile makes it refuse the
 * whole configuration, so this errs on no side: it follows the grammar of RE2, which has no look-around and no
 * back-references.
 */
export function re2Problem(text: string): string | undefined {
  return new Scanner(text).problem();
}

const quantifier = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/u;
const group = /^\((?:\?(?:P?<[A-Za-z_]\w*>|[imsU]*(?:-[imsU]+)?[:)]))?/u;
const escaped =
  /^\\(?:[pP](?:[A-Za-z]|\{\^?\w+\})|x(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})|Q[^]*?(?:\\E|$)|[0-7]{3}|0|[dDsSwWbBAzafntrvC]|[^A-Za-z0-9])/u;
const characterClass = /^\[\^?\]?(?:\\(?:Q[^]*?\\E|[^])|\[:\^?\w+:\]|[^\]\\])*\]/u;
const maxRepeat = 1000;

class Scanner {
  #rest: string;
  #depth = 0;
  /** Whether something stands before the place that a quantifier could repeat. */
  #repeatable = false;

  constructor(text: string) {
    this.#rest = text;
  }

  problem(): string | undefined {
    while (this.#rest !== "") {
      const problem = this.#step();
      if (problem !== undefined) return problem;
    }
    return this.#depth > 0 ? "a parenthesis is not closed" : undefined;
  }

  #step(): string | undefined {
    switch (this.#rest.charAt(0)) {
      case "(":
        return this.#open();
      case ")":
        this.#depth -= 1;
        this.#take(1, true);
        return this.#depth < 0 ? "a parenthesis is closed that was not opened" : undefined;
      case "[":
        return this.#takeMatch(characterClass, "a bracket is not closed");
      case "\\":
        return this.#takeMatch(escaped, "an escape sequence is unknown");
      case "*":
      case "+":
      case "?":
      case "{":
        return this.#repeat();
      default:
        this.#take(1, this.#rest[0] !== "|");
        return undefined;
    }
  }

  #open(): string | undefined {
    const opening = group.exec(this.#rest)?.[0] ?? "";
    const isFlags = opening.endsWith(")");
    if (opening === "(" && this.#rest[1] === "?") return "it uses a group that RE2 does not know";
    if (!isFlags) this.#depth += 1;
    this.#take(opening.length, false);
    return undefined;
  }

  #repeat(): string | undefined {
    const match = quantifier.exec(this.#rest);
    if (match === null) {
      this.#take(1, true);
      return undefined;
    }
    if (!this.#repeatable) return "a quantifier repeats nothing";
    const [low, high] = [
      Number(match[1] ?? 0),
      match[2] === undefined || match[2] === "" ? undefined : Number(match[2]),
    ];
    if (low > maxRepeat || (high ?? 0) > maxRepeat)
      return `a quantifier repeats more than ${maxRepeat} times`;
    if (high !== undefined && low > high) return "a quantifier has its limits the wrong way round";
    this.#take(match[0].length, false);
    return undefined;
  }

  #takeMatch(pattern: RegExp, problem: string): string | undefined {
    const match = pattern.exec(this.#rest);
    if (match === null) return problem;
    this.#take(match[0].length, true);
    return undefined;
  }

  #take(length: number, repeatable: boolean): void {
    this.#rest = this.#rest.slice(length);
    this.#repeatable = repeatable;
  }
}
