import { isRecord, shortened } from "@bowline/core";

/**
 * A place in an object that somebody else wrote. Reading it as a type gives the value, or undefined when it is absent
 * or wrong; what is wrong goes to the report with its path. Nothing throws.
 */
export class Field {
  readonly value: unknown;
  readonly report: Report;
  readonly #parent: Field | undefined;
  readonly #step: string | number;

  private constructor(value: unknown, report: Report, step: string | number, parent?: Field) {
    this.value = value ?? undefined;
    this.report = report;
    this.#parent = parent;
    this.#step = step;
  }

  static root(value: unknown, report: Report, name: string): Field {
    return new Field(value, report, name);
  }

  /** Made only when somebody asks: nearly all fields are fine. */
  get path(): string {
    if (this.#parent === undefined) return String(this.#step);
    const step = typeof this.#step === "number" ? `[${this.#step}]` : `.${this.#step}`;
    return `${this.#parent.path}${step}`;
  }

  get present(): boolean {
    return this.value !== undefined;
  }

  get(key: string): Field {
    const value = isRecord(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined;
    return new Field(value, this.report, key, this);
  }

  text(): string | undefined {
    return this.#as((value) => typeof value === "string", "a text");
  }

  /** Text that says something: Kubernetes writes "" where it means nothing. */
  word(): string | undefined {
    const text = this.text();
    return text === "" ? undefined : text;
  }

  /** Text that is one of the choices. */
  choice<const Choice extends string>(choices: readonly Choice[]): Choice | undefined {
    const text = this.word();
    const choice = choices.find((candidate) => candidate === text);
    if (text !== undefined && choice === undefined) {
      this.reject(`${this.path} is none of ${choices.join(", ")}.`, `Use one of ${choices.join(", ")}.`);
    }
    return choice;
  }

  flag(): boolean | undefined {
    return this.#as((value) => typeof value === "boolean", "true or false");
  }

  /** A whole number that is not negative: all numbers of monitors are counts, limits or ports. */
  count(): number | undefined {
    return this.#as(isCount, "a whole number that is not negative");
  }

  list(): Field[] {
    const values = this.#as(isList, "a list") ?? [];
    return values.map((value, index) => new Field(value, this.report, index, this));
  }

  texts(): string[] {
    return this.list().flatMap((item) => item.text() ?? []);
  }

  /** The entries of a map, sorted by key, because the order of a map means nothing. */
  entries(): [string, Field][] {
    const record = this.#as(isRecord, "a map") ?? {};
    return Object.keys(record)
      .sort()
      .map((key) => [key, this.get(key)]);
  }

  textMap(): Record<string, string> {
    return Object.fromEntries(
      this.entries().flatMap(([key, item]) => (item.present ? [[key, item.text() ?? ""]] : [])),
    );
  }

  reject(message: string, fix: string): void {
    this.report.problem({ path: this.path, message, fix });
  }

  #as<Value>(is: (value: unknown) => value is Value, expected: string): Value | undefined {
    if (this.value === undefined) return undefined;
    if (is(this.value)) return this.value;
    this.reject(`${this.path} is not ${expected}.`, `Make ${this.path} ${expected}, or remove it.`);
    return undefined;
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** One thing that is wrong with an object: where, what, and what to do about it. Never a value: it may be a secret. */
export interface Problem {
  /** `spec.endpoints[0].interval` */
  readonly path: string;
  /** A sentence. */
  readonly message: string;
  /** A sentence about what the owner of the object can do. */
  readonly fix: string;
}

/** More would help nobody, and a hostile object could have millions. */
const maxProblems = 20;

/** Names of fields may be as long as somebody likes; a status that repeats them may not. */
const maxTextLength = 1024;

function cut(text: string): string {
  return shortened(text, maxTextLength);
}

/** Findings from reading one object. Reading goes on after a problem, so that one pass finds them all. */
export class Report {
  readonly problems: Problem[] = [];
  /** How many there were, also those beyond the limit. */
  problemCount = 0;
  /** Remarks that reject nothing: a field that the collector's version does not know, for example. */
  readonly notes = new Set<string>();

  /** A field that several jobs use is read several times, and reported once. */
  problem(found: Problem): void {
    this.problemCount += 1;
    const problem = { path: cut(found.path), message: cut(found.message), fix: cut(found.fix) };
    const isKnown = this.problems.some(
      ({ path, message }) => path === problem.path && message === problem.message,
    );
    if (!isKnown && this.problems.length < maxProblems) this.problems.push(problem);
  }

  note(note: string): void {
    this.notes.add(note);
  }
}
