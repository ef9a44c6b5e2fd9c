/**
 * `kind` and the engine are stand-ins here, which prove our side only: that a cluster is asked for once, found again, and
 * taken away. That the real kind understands what it is given is shown by real-kind.long.test.ts.
 */
import { ManualClock } from "@bowline/core/testing";

import type { ProviderStage, ProviderWorld } from "../testing/provider-stage.ts";
import { providerContract } from "../testing/provider-contract.ts";
import { kindProvider } from "./kind-provider.ts";
import { kindClusterName } from "./kind-config.ts";
import { KindStandIn } from "./testing/stand-in.ts";
import { join } from "node:path";

const cluster = { id: "018f0000-0000-7000-8000-00000012ab3c", name: "web" };
const name = kindClusterName(cluster);

async function openWorld(): Promise<ProviderWorld> {
  const standIn = await KindStandIn.open();
  const clock = new ManualClock();
  const folder = join(standIn.folder, "runs");
  return {
    clock,
    cluster,
    pass: async (ms) => {
      await clock.advance(ms);
      await standIn.settled(folder);
    },
    provider: () => kindProvider({ folder, environment: standIn.environment }),
    inventory: async () => {
      // kind goes on by itself, whether anybody looks or not.
      await standIn.settled(folder);
      const own = (await standIn.containers()).filter(({ id }) => id !== "of-somebody-else");
      return own.length === 0 ? {} : { containers: own.length };
    },
    complete: ({ kind }) => ({ containers: kind?.nodes ?? 1 }),
    putForeign: () => standIn.putContainer("of-somebody-else", name),
    foreign: async () => (await standIn.containers()).filter(({ id }) => id === "of-somebody-else"),
    takeAway: () => standIn.removeContainers(),
    breakDown: async (isDown) => {
      await standIn.settled(folder);
      await standIn.stop(isDown);
    },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}

const stage: ProviderStage = {
  spec: { provider: "kind", kind: { nodes: 2 } },
  omitted: { changing: "kind cannot change a cluster that is there" },
  openWorld,
};

providerContract("kind", stage);
