import { maxProblems, type Problem } from "./problem.ts";
import { formatPath, type PathPart } from "./value-path.ts";

/** Where a reader is, and what it found wrong so far. A path becomes text only when something is wrong with it. */
export class Report {
  readonly problems: Problem[] = [];
  /** Whoever goes down into a value pushes the key and pops it on the way back. */
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
