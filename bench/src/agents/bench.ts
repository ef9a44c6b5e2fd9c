import { setTimeout as sleep } from "node:timers/promises";

import type { Benchmark } from "../benchmark.ts";
import { BundledProgram } from "../bundled-program.ts";
import { BowlineServer } from "./bowline-server.ts";
import { Fleet } from "./fleet.ts";
import { measureIdle, restingRss } from "./measure-idle.ts";
import { everybodyBack, measureRestart, type Ending, type RestartMeasurement } from "./measure-restart.ts";
import { setStage } from "./set-stage.ts";
import { agentCount, type Stage } from "./stage.ts";
import { summarize } from "./summarize.ts";

const fleetProcesses = 2;
/** What a start leaves behind is collected by then, and what the agents have to say is written down. */
const settleMs = 20_000;
const aloneMs = 10_000;
/** Agents count on a session that has lasted for longer than this. */
const lastingMs = 12_000;

export const agentsBenchmark: Benchmark = {
  description: `Has ${agentCount} agents connected to one server (TLS, SQLite), each with a session and a tunnel: what they cost while they are idle, and how they come back after the server was killed or told to stop. The agents run on the same machine.`,
  needs: { programs: [] },
  async run(context) {
    await using program = await BundledProgram.create(new URL("fleet-process.ts", import.meta.url));
    await using server = await BowlineServer.create();
    await using fleet = new Fleet(program, fleetProcesses);
    const stage: Stage = { context, server, fleet };
    await server.start();
    await setStage(stage);
    // A new process: what setting the stage took is not what agents take.
    await server.end("SIGTERM");
    await server.start();
    context.progress("the server alone");
    const aloneRssBytes = await restingRss(stage, aloneMs);
    context.progress("all agents connect");
    await connect(stage);
    await sleep(settleMs, undefined, { signal: context.signal });
    context.progress("all agents idle");
    const idle = await measureIdle(stage, aloneRssBytes);
    const restarts: RestartMeasurement[] = [];
    for (let round = 1; round <= context.rounds; round++) {
      restarts.push(await restart(stage, "SIGKILL", round), await restart(stage, "SIGTERM", round));
    }
    await sleep(settleMs, undefined, { signal: context.signal });
    context.progress("all agents idle after the restarts");
    const idleAfterRestart = await measureIdle(stage, aloneRssBytes);
    return summarize({ aloneRssBytes, idle, idleAfterRestart, restarts });
  },
};

async function connect(stage: Stage): Promise<void> {
  await stage.fleet.connect();
  await everybodyBack(stage);
}

async function restart(stage: Stage, ending: Ending, round: number): Promise<RestartMeasurement> {
  const { progress, rounds, signal } = stage.context;
  // Those that have lost a server before wait for longer.
  await connect(stage);
  await sleep(lastingMs, undefined, { signal });
  progress(`round ${round} of ${rounds}: restart after ${ending}`);
  return measureRestart(stage, ending);
}
