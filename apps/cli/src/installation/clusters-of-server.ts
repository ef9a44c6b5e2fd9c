import { Cluster } from "@bowline/api";
import { BowlineError, hasCode } from "@bowline/core";

import { listObjects } from "../resources/find-objects.ts";
import type { PhaseContext, Target } from "./target.ts";

/** A server that does not answer for so long is taken for dead. */
const answerLimitMs = 15_000;

/**
 * Refuses where the server has made clusters itself: only its database knows what belongs to them, and it goes. A server
 * that does not answer is not waited for.
 */
export async function requireNoClusters(
  server: Pick<Target, "connect">,
  context: PhaseContext,
): Promise<void> {
  const names = await madeClusters(server, context);
  if (names.length === 0) return;
  throw new BowlineError(
    "Conflict",
    `The server has made clusters, and nobody else knows what belongs to them: ${names.join(", ")}. Nothing was done; take them away first with \`bowline cluster remove\`, or use --force, and find what they leave by its tags.`,
    { details: { clusters: names } },
  );
}

async function madeClusters(server: Pick<Target, "connect">, context: PhaseContext): Promise<string[]> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(answerLimitMs)]);
  context.progress("asks the server whether it has made clusters");
  try {
    const client = await server.connect({ ...context, signal });
    try {
      const { objects } = await listObjects(client, Cluster, { signal });
      const made = objects.filter(({ object }) => object.spec.provider !== "existing");
      return made.map(({ object }) => object.metadata.name);
    } finally {
      await client.close();
    }
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (hasCode(thrown, ...refusals)) throw mayNotSee(thrown);
    return [];
  }
}

/** A server that says so is not dead: there may be clusters that this command may not see. */
const refusals = ["Unauthorized", "Forbidden", "NotLoggedIn"] as const;

function mayNotSee(cause: unknown): BowlineError {
  const { message } = BowlineError.from(cause);
  return new BowlineError(
    "Conflict",
    `The server answers, and this command may not see whether it has made clusters: ${message} Nothing was done. Nobody else knows what belongs to them: take them away first with \`bowline cluster remove\`, then use --force.`,
    { cause },
  );
}
