import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { waitForRollout } from "../../workloads/follow-rollout.ts";
import { rolloutLines } from "../../workloads/rollout.ts";
import { RolloutProgress } from "../../workloads/rollout-progress.ts";

/** Shows how an instance gets to its clusters until it is healthy there; says what to do when it does not. */
export async function showRollout(context: CommandContext, name: string, timeoutMs: number): Promise<void> {
  const { terminal, clock, signal, paint } = context;
  const progress = new RolloutProgress(terminal, paint);
  try {
    await waitForRollout(name, {
      client: await context.client(),
      clock,
      signal,
      timeoutMs,
      untilStuck: true,
      onChange: (rollout, state) => {
        // Until the manifests have been read, everything else is about what was there before.
        const lines = state.reason === "Resolving" ? [] : rolloutLines(rollout);
        const { reason, message } = state;
        progress.show(
          lines.length > 0
            ? lines
            : [{ key: name, subject: `workloadinstance/${name}`, state: reason, why: message }],
        );
      },
    });
  } catch (thrown) {
    throw withAdvice(name, thrown);
  }
  terminal.error(`workloadinstance/${name} is ready.\n`);
}

const approvals: ReadonlySet<unknown> = new Set(["PlacementHeld", "PruneHeld", "WaitingForApproval"]);

/** The sentence of the failure, with the command that helps. */
function withAdvice(name: string, thrown: unknown): BowlineError {
  const error = BowlineError.from(thrown);
  if (error.code !== "Timeout" && error.code !== "ReconcileStalled") return error;
  const isHeld = approvals.has(error.details?.["reason"]);
  const command = isHeld ? `bowline approve wi/${name} --dry-run` : `bowline tree wi/${name}`;
  return new BowlineError(error.code, `${error.message} See more: ${command}`, { cause: error });
}
