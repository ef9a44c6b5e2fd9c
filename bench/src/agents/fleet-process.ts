/** Many agents in one process, each as it would be in its own cluster. */
import { ServerDialer } from "@bowline/agent";
import { systemClock } from "@bowline/core";

import { answerCommands } from "../measure-process.ts";
import type { Arrivals, Census, JoinOrder } from "./fleet-order.ts";
import { forEachAtOnce } from "./for-each-at-once.ts";
import { IdleAgent } from "./idle-agent.ts";

/** What is under way at once while the stage is set, which is not measured. */
const atOnce = 32;

const agents: IdleAgent[] = [];
let dialsMs: number[] = [];

const dialer = new ServerDialer({ clock: systemClock, environment: {} });
const countingDialer: Pick<ServerDialer, "dial" | "dialTunnel" | "presentedChain"> = {
  dial(target) {
    dialsMs.push(Date.now());
    return dialer.dial(target);
  },
  dialTunnel: (target, headers) => dialer.dialTunnel(target, headers),
  presentedChain: (target) => dialer.presentedChain(target),
};

answerCommands({
  join: ({ tokens }: JoinOrder) =>
    forEachAtOnce(tokens, atOnce, async (token) => {
      agents.push(await IdleAgent.join(token, countingDialer));
    }),
  connect: () => forEachAtOnce(agents, atOnce, (agent) => agent.connect()),
  /** Forgets the attempts from before. */
  watch: () => {
    dialsMs = [];
    return Promise.resolve();
  },
  census: (): Promise<Census> =>
    Promise.resolve({
      welcomed: agents.filter(({ connectedAtMs }) => connectedAtMs !== undefined).length,
      serving: agents.filter(({ isServing }) => isServing).length,
    }),
  arrivals: (): Promise<Arrivals> =>
    Promise.resolve({
      dialsMs,
      welcomesMs: agents.flatMap(({ connectedAtMs }) => connectedAtMs ?? []),
    }),
});
