/** One thing that is wrong with an object: where, what, and what to do about it. Never a value: it may be a secret. */
export interface Problem {
  /** `spec.endpoints[0].interval` */
  readonly path: string;
  /** A sentence. */
  readonly message: string;
  /** What the owner of the object can do, as a sentence. */
  readonly fix: string;
}

/** More would help nobody, and a hostile object could have millions. */
const maxProblems = 20;

/** Names of fields may be as long as somebody likes; a status that repeats them may not. */
const maxTextLength = 1024;

function cut(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength - 1).toWellFormed()}…`;
}

/** What was found while one object was read. Reading goes on after a problem, so that one pass finds them all. */
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
