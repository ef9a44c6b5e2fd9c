import { BowlineError, shortened } from "@bowline/core";
import { describeRenderProblem, type RenderProblem } from "@bowline/render";

/**
 * - `InvalidObjects`: a file says something that the API would refuse
 * - `NotAllowed`: the user whom the source acts as may not do that
 * - `OwnedByOther`: an object is somebody else's
 * - `StillReferenced`: what would be deleted is needed by something that stays
 * - `BeingDeleted`: an object of that name has yet to go
 */
export type ConfigReason =
  | "InvalidObjects"
  | "NotAllowed"
  | "OwnedByOther"
  | "StillReferenced"
  | "BeingDeleted";

/** One thing for which a commit is not applied, with its place in the repository where it has one. */
export interface ConfigProblem extends RenderProblem {
  readonly reason: ConfigReason;
}

/** The order in which reasons are told, when there are several: what one has to mend first. */
const order: readonly ConfigReason[] = [
  "InvalidObjects",
  "NotAllowed",
  "OwnedByOther",
  "StillReferenced",
  "BeingDeleted",
];

/** As long as a message of a condition may be, with room for what stands around it. */
const maxMessageLength = 3_500;

/** A commit is not applied; nothing of it is. */
export class ConfigRefused extends BowlineError {
  readonly reason: ConfigReason;

  constructor(problems: readonly ConfigProblem[]) {
    const told = problems.map((problem) => describeRenderProblem(problem)).join("; ");
    const end = /[.?!]$/u.test(told) ? "" : ".";
    super("Invalid", shortened(`Nothing of the commit is applied. ${told}${end}`, maxMessageLength));
    this.name = "ConfigRefused";
    this.reason = order.find((each) => problems.some(({ reason }) => reason === each)) ?? "InvalidObjects";
  }
}

export function requireNoProblems(problems: readonly ConfigProblem[]): void {
  if (problems.length > 0) throw new ConfigRefused(problems);
}
