import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as nextTurn } from "node:timers/promises";

import { WorkloadDefinition } from "@bowline/api";
import { createLogger, systemClock } from "@bowline/core";
import { RefClient } from "@bowline/git";
import { createTempFolder } from "@bowline/test-services";
import { onTestFinished, expect, test } from "vitest";

import { RepositoryPoller } from "./repository-poller.ts";
import { SharedRefs } from "./shared-refs.ts";
import { ReplayingGit } from "./testing/replaying-git.ts";
import { SourceHarness } from "./testing/source-harness.ts";

const repositories = 1_000;
/** So many minutes pass as they are, when somebody has the time; else an hour passes as fast as the machine can. */
const realMinutes = Number(process.env["SOAK_MINUTES"] ?? 0);
const minutes = realMinutes > 0 ? realMinutes : 60;
/** The first minutes fill caches and open sockets. */
const warmUp = Math.max(1, Math.floor(minutes / 6));
const mebibyte = 2 ** 20;

interface Figures {
  /** The least of the minute: at most other times, there is garbage in it. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly openFiles: number;
  readonly timers: number;
  readonly cpuMs: number;
}

test(
  `a thousand repositories are asked each minute for ${minutes} minutes, and nothing grows`,
  { timeout: (minutes + 30) * 60_000 },
  async () => {
    const harness = await SourceHarness.open();
    const commit = await harness.repository.commit({ files: { "a.yaml": "a: 1\n" } });
    const git = await ReplayingGit.start(harness.server, harness.caPem);
    onTestFinished(() => git.close());
    for (let at = 0; at < repositories; at += 1) await follow(harness, `r-${at}`, git.url(at), commit);

    const folder = await createTempFolder("soak");
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const client = new RefClient({ folder: join(folder.path, "git"), protocols: ["http"] });
    onTestFinished(() => client.close());
    const clock = realMinutes > 0 ? systemClock : harness.clock;
    let underWay = 0;
    let woken = 0;
    const counted: Pick<RefClient, "listRefs"> = {
      async listRefs(request) {
        underWay += 1;
        return client.listRefs(request).finally(() => (underWay -= 1));
      },
    };
    const poller = new RepositoryPoller({
      store: harness.store,
      refs: new SharedRefs(counted, clock),
      wake: async (followers) => void (woken += followers.length),
      leads: () => Promise.resolve(true),
      metrics: harness.metrics,
      clock,
      random: Math.random,
      logger: createLogger({ name: "test", level: "silent" }),
    });
    onTestFinished(() => poller.close());
    await poller.start();

    const head = await harness.store.changes.head();
    const second = async (): Promise<void> => {
      if (realMinutes > 0) return sleep(1_000);
      await harness.clock.advance(1_000);
      // Answers come in the machine's own time, and a poll that waits for its turn begins after another's end.
      for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) await nextTurn();
    };
    const measured: Figures[] = [];
    for (let minute = 1; minute <= minutes; minute += 1) {
      const cpu = process.cpuUsage();
      let heapBytes = Infinity;
      for (let passed = 0; passed < 60; passed += 1) {
        await second();
        heapBytes = Math.min(heapBytes, process.memoryUsage().heapUsed);
      }
      const { user, system } = process.cpuUsage(cpu);
      const rssBytes = process.memoryUsage.rss();
      const openFiles = readdirSync("/proc/self/fd").length;
      const timers = harness.clock.pending;
      measured.push({
        heapBytes,
        rssBytes,
        openFiles,
        timers,
        cpuMs: (user + system) / 1_000,
      });
    }
    const warm = leastOf(measured.slice(warmUp - 1, 2 * warmUp));
    const last = leastOf(measured.slice(-warmUp));
    console.log(
      `${git.questions} questions in ${minutes} minutes; the least of the second sixth, and of the last: ${describe(warm)}; ${describe(last)}`,
    );
    // Between nine tenths and eleven tenths of a minute apart.
    expect(git.questions).toBeGreaterThan(repositories * (minutes / 1.1 - 1));
    expect(git.questions).toBeLessThan(repositories * (minutes / 0.9 + 2));
    expect(last.heapBytes).toBeLessThan(warm.heapBytes + 8 * mebibyte);
    expect(last.openFiles).toBeLessThanOrEqual(warm.openFiles + 16);
    expect(last.timers).toBeLessThanOrEqual(warm.timers + 16);
    // Nothing has changed in git, and so nothing is written and nobody woken.
    expect(woken).toBe(0);
    expect(await harness.store.changes.head()).toEqual(head);
  },
);

/** Of some minutes, in which garbage was collected several times. */
function leastOf(measured: readonly Figures[]): Figures {
  const least = (read: (figures: Figures) => number): number => Math.min(...measured.map(read));
  return {
    heapBytes: least(({ heapBytes }) => heapBytes),
    rssBytes: least(({ rssBytes }) => rssBytes),
    openFiles: least(({ openFiles }) => openFiles),
    timers: least(({ timers }) => timers),
    cpuMs: least(({ cpuMs }) => cpuMs),
  };
}

function describe({ heapBytes, rssBytes, openFiles, timers, cpuMs }: Figures): string {
  const inMebibytes = (bytes: number): string => (bytes / mebibyte).toFixed(1);
  return `heap ${inMebibytes(heapBytes)} MiB, RSS ${inMebibytes(rssBytes)} MiB, ${openFiles} files, ${timers} timers, ${Math.round(cpuMs)} ms of CPU a minute`;
}

/** A definition that has seen the commit which its repository has. */
async function follow({ store }: SourceHarness, name: string, url: string, commit: string): Promise<void> {
  const git = { url, ref: "main", path: ".", interval: "1m" };
  const spec = { source: { git }, parameters: [] };
  await store.objects.write(WorkloadDefinition, name, () => ({
    metadata: { name, labels: {}, annotations: {} },
    spec,
  }));
  await store.objects.writeStatus(WorkloadDefinition, name, ({ status }) => ({
    ...status,
    source: { commit },
  }));
}
