import { BowlineError, formatPath, type PathPart } from "@bowline/core";

/** One thing that is wrong with a value: where, and what would be right. Never the value itself: it may be a secret. */
export interface Problem {
  /** `spec.placement.clusters[0]`; empty for the value as a whole. */
  readonly path: string;
  /** A fragment that reads on from the path: "must be at most 63 characters long". */
  readonly message: string;
}

/** More would help nobody, and a hostile value could have millions. */
export const maxProblems = 20;

/** The sentence a person sees, and under `fields` what a program or an editor needs. */
export function invalidError(subject: string, problems: readonly Problem[]): BowlineError {
  const [first, ...others] = problems;
  const detail = first === undefined ? "" : `: ${first.path === "" ? "it" : first.path} ${first.message}`;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return new BowlineError("Invalid", `${subject} is not valid${detail}${more}.`, {
    details: { fields: problems },
  });
}

/** Where a reader is, and what it found wrong so far. A path becomes text only when something is wrong with it. */
export class Report {
  readonly problems: Problem[] = [];
  /** Keys down to the value at hand: a reader pushes one before it goes down and pops it on the way back. */
  readonly path: PathPart[] = [];

  /** Nothing more will be noted: loops over what a client sent may stop. */
  get full(): boolean {
    return this.problems.length >= maxProblems;
  }

  add(message: string): void {
    if (!this.full) this.problems.push({ path: formatPath(this.path), message });
  }

  addAt(part: PathPart, message: string): void {
    this.path.push(part);
    this.add(message);
    this.path.pop();
  }
}
