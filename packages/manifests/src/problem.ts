/** A limit that a text does not keep; `limits.ts` has the numbers. */
export type ManifestLimit = "bytes" | "objects" | "depth" | "expansion";

/** One thing that is wrong with manifests. Never a value of theirs: it may be a secret. */
export interface ManifestProblem {
  /** The number of the document, from 1; only while there is a text. */
  readonly document?: number;
  /** The line of the whole text, from 1. */
  readonly line?: number;
  /** `Deployment web`. */
  readonly object?: string;
  /** `spec.replicas`; only together with the object. */
  readonly path?: string;
  /** A sentence that a person can act on, without its full stop. */
  readonly message: string;
  /** Set where the problem is the amount and not the content. */
  readonly limit?: ManifestLimit;
}

/** More would help nobody, and a hostile text could have millions. */
export const maxManifestProblems = 100;

export class ProblemList {
  readonly problems: ManifestProblem[] = [];

  /** Nothing more will be noted: loops over what a client sent may stop. */
  get isFull(): boolean {
    return this.problems.length >= maxManifestProblems;
  }

  add(problem: ManifestProblem): void {
    if (!this.isFull) this.problems.push(problem);
  }
}

/** `document 2, line 14: Deployment web: spec.replicas: …`, as far as the place is known. */
export function describeProblem({ document, line, object, path, message }: ManifestProblem): string {
  const place = [
    ...(document === undefined ? [] : [`document ${document}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
  ].join(", ");
  return [place, object, path, message].filter((part) => part !== undefined && part !== "").join(": ");
}
