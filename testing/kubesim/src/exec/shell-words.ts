/** What decides whether a command runs, by how the one before it ended. */
type Connector = ";" | "&&" | "||";

/** Where what a command prints goes; the rest of the world cannot be written to. */
export type Target = "out" | "err" | "nowhere";

/** Text, and variables, which have their value when the command runs. */
type Word = readonly (string | { readonly variable: string })[];

export interface ShellStep {
  readonly connector: Connector;
  readonly words: readonly Word[];
  readonly out: Target;
  readonly err: Target;
}

/** Thrown for lines that the simulated shell does not understand, with what a shell would say. */
export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError";
}

const notSimulated = /^(?:\||\$\(|`|<|&(?!&)|\()/u;
const keywords = new Set(["if", "for", "while", "case", "until", "function", "{"]);
const redirection = /^([12]?)>>?\s*(&[12]|[^\s;&|<>]+)/u;

/** Splits lines into commands, with quotes, variables and the redirections that need no files. */
export function parseScript(script: string): ShellStep[] {
  return new ScriptReader(script).steps();
}

export function expandWords(words: readonly Word[], valueOf: (variable: string) => string): string[] {
  return words.map((word) =>
    word.map((part) => (typeof part === "string" ? part : valueOf(part.variable))).join(""),
  );
}

interface Draft {
  connector: Connector;
  words: Word[];
  out: Target;
  err: Target;
}

class ScriptReader {
  readonly #done: Draft[] = [];
  #rest: string;
  #step: Draft = newStep(";");
  #word: (string | { readonly variable: string })[] | undefined;

  constructor(script: string) {
    this.#rest = script;
  }

  steps(): ShellStep[] {
    while (this.#rest !== "") this.#read();
    this.#endStep(";");
    return this.#done;
  }

  #read(): void {
    const blank = this.#take(/^[ \t\r]+|^\\\n/u);
    if (blank !== undefined) {
      this.#endWord();
      return;
    }
    if (this.#word === undefined && this.#take(/^#[^\n]*/u) !== undefined) return;
    const connector = this.#take(/^(?:&&|\|\||;|\n)/u);
    if (connector !== undefined) {
      this.#endStep(connector === "&&" || connector === "||" ? connector : ";");
      return;
    }
    if (this.#word === undefined && this.#readRedirection()) return;
    const unknown = notSimulated.exec(this.#rest);
    if (unknown !== null) throw new ShellSyntaxError(`"${unknown[0]}" is not simulated`);
    this.#readPart();
  }

  #readPart(): void {
    const single = this.#take(/^'[^']*'/u);
    if (single !== undefined) this.#add(single.slice(1, -1));
    else if (this.#rest.startsWith('"')) this.#readDouble();
    else if (this.#rest.startsWith("'")) throw new ShellSyntaxError("unterminated quoted string");
    else if (this.#rest.startsWith("$")) this.#readVariable();
    else if (this.#rest.startsWith("\\")) this.#add(this.#cut(2).slice(1));
    else this.#add(this.#take(/^[^\s;&|'"$\\<>`(]+/u) ?? this.#cut(1));
  }

  #readDouble(): void {
    this.#cut(1);
    this.#add("");
    while (!this.#rest.startsWith('"')) {
      if (this.#rest === "") throw new ShellSyntaxError("unterminated quoted string");
      if (this.#rest.startsWith("$(")) throw new ShellSyntaxError('"$(" is not simulated');
      if (this.#rest.startsWith("$")) this.#readVariable();
      else if (/^\\["\\$]/u.test(this.#rest)) this.#add(this.#cut(2).slice(1));
      else this.#add(this.#take(/^[^"$\\]+/u) ?? this.#cut(1));
    }
    this.#cut(1);
  }

  #readVariable(): void {
    const found = /^\$(?:\{(\w+|\?)\}|(\w+|\?))/u.exec(this.#rest);
    if (found === null) {
      this.#add(this.#cut(1));
      return;
    }
    this.#cut(found[0].length);
    this.#add({ variable: found[1] ?? found[2] ?? "" });
  }

  #readRedirection(): boolean {
    const found = redirection.exec(this.#rest);
    if (found === null) return false;
    const [whole, from, to = ""] = found;
    const target = this.#targetOf(to);
    if (from === "2") this.#step.err = target;
    else this.#step.out = target;
    this.#cut(whole.length);
    return true;
  }

  #targetOf(to: string): Target {
    if (to === "&1") return this.#step.out;
    if (to === "&2") return this.#step.err;
    if (to === "/dev/null") return "nowhere";
    throw new ShellSyntaxError(`can't create ${to}: Read-only file system`);
  }

  #endStep(next: Connector): void {
    this.#endWord();
    const [first] = this.#step.words;
    const name = first === undefined ? "" : (expandWords([first], () => "")[0] ?? "");
    if (keywords.has(name)) throw new ShellSyntaxError(`"${name}" is not simulated`);
    if (first !== undefined) this.#done.push(this.#step);
    this.#step = newStep(next);
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#step.words.push(this.#word);
    this.#word = undefined;
  }

  #add(part: string | { readonly variable: string }): void {
    (this.#word ??= []).push(part);
  }

  #take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.#rest)?.[0];
    return found === undefined ? undefined : this.#cut(found.length);
  }

  #cut(length: number): string {
    const text = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return text;
  }
}

function newStep(connector: Connector): Draft {
  return { connector, words: [], out: "out", err: "err" };
}
