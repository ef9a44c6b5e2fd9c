import { BowlineError } from "@bowline/core";

import { isNewer } from "../doctor/version-skew.ts";
import type { PhaseContext, Target } from "./target.ts";

/** A server that runs becomes one of another version by `upgrade` alone, which looks first and makes a backup. */
export async function requireSameVersion(
  { runningVersion }: Pick<Target, "runningVersion">,
  context: PhaseContext,
  own: string,
): Promise<void> {
  const running = await runningVersion(context);
  if (running === undefined || running === own) return;
  const { name } = context.ledger.state;
  const then = isNewer(own, running)
    ? `\`bowline upgrade ${name}\` makes a backup and puts this version in its place`
    : "use that version of bowline, as there is no way back by `up`";
  throw new BowlineError(
    "Conflict",
    `"${name}" runs ${running}, and this program is ${own}. Nothing was done; ${then}.`,
    { details: { running, own } },
  );
}
