/** The server with the console, and a cluster full of pods, in a process of their own: the bench is not measured with it. */
import { setTimeout as sleep } from "node:timers/promises";

import type { Kubesim, SimObject } from "@bowline/kubesim";
import { ConsoleServer, JoinedCluster } from "@bowline/test-browser";

import { answerCommands } from "../measure-process.ts";
import { benchPod } from "../pods.ts";
import { addHub, hubNamespace } from "./hubs.ts";
import { keptLines, LogWriter } from "./log-writer.ts";
import type {
  ChangeOrder,
  FillOrder,
  Followed,
  FollowOrder,
  HubOrder,
  LogOrder,
  MarkOrder,
  Opened,
} from "./web-order.ts";

const namespace = "rows";
const tickMs = 20;

let server: ConsoleServer | undefined;
let sim: Kubesim | undefined;
let writer: LogWriter | undefined;
let rows = 0;
let changed = 0;

function running(): ConsoleServer {
  if (server === undefined) throw new Error("There is no server yet.");
  return server;
}

function cluster(): Kubesim {
  if (sim === undefined) throw new Error("There is no cluster yet.");
  return sim;
}

function logs(): LogWriter {
  if (writer === undefined) throw new Error("There is nothing that writes.");
  return writer;
}

/** Does something so many times a second; says how often a second it came to. */
async function atRate({ perSecond, seconds }: ChangeOrder, act: () => void): Promise<number> {
  const startedAtMs = performance.now();
  let done = 0;
  while (performance.now() - startedAtMs < seconds * 1_000) {
    const due = Math.floor(((performance.now() - startedAtMs) / 1_000) * perSecond);
    for (; done < due; done += 1) act();
    await sleep(tickMs);
  }
  return done / ((performance.now() - startedAtMs) / 1_000);
}

const rowName = (index: number): string => `row-${String(index).padStart(5, "0")}`;

function addPod(index: number): void {
  const { spec, status } = benchPod(index);
  const metadata = { name: rowName(index), namespace, labels: { team: `team-${index % 40}` } };
  const pod = cluster().api.create("pods", { apiVersion: "v1", kind: "Pod", metadata, spec });
  cluster().api.updateStatus("pods", { ...pod, status });
}

/** Its reason is what the table says under STATUS. */
function setReason(index: number, reason: string): void {
  const pod: SimObject | undefined = cluster().api.get("pods", namespace, rowName(index));
  if (pod === undefined) throw new Error(`There is no row ${index}.`);
  const { status } = benchPod(index);
  cluster().api.updateStatus("pods", { ...pod, status: { ...status, reason } });
}

answerCommands({
  async open(): Promise<Opened> {
    server = await ConsoleServer.start();
    ({ sim } = await JoinedCluster.join(server, { name: "edge", sim: { nodes: 0, controllers: false } }));
    const cloud = await JoinedCluster.join(server, {
      name: "cloud",
      sim: { kubelet: { keptLogLines: keptLines } },
    });
    writer = new LogWriter(cloud.sim);
    return { consoleUrl: server.consoleUrl };
  },
  signInUrl: () => running().signInUrl(),
  /** Resolves when the server knows them: what is opened meanwhile waits for that, too. */
  async fill({ count }: FillOrder): Promise<void> {
    cluster().api.create("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    for (let index = 0; index < count; index += 1) addPod(index);
    rows = count;
    const asked = { node: `Pod/${namespace}/${rowName(count - 1)}`, cluster: "edge", limit: 1 };
    while (!(await running().admin.askGraph("around", asked)).data.found) await sleep(100);
  },
  /** Says how many changes a second it came to. */
  change: (order: ChangeOrder): Promise<number> =>
    atRate(order, () => {
      setReason((changed * 7) % rows, `Reason${changed % 1_000}`);
      changed += 1;
    }),
  /** Resolves when the server knows all of them. */
  async hub({ name, users }: HubOrder): Promise<void> {
    addHub(cluster().api, name, users);
    const asked = { node: `Secret/${hubNamespace}/${name}`, cluster: "edge", limit: 10 };
    for (;;) {
      const { data } = await running().admin.askGraph("around", asked);
      // Each of them with a ConfigMap.
      if (data.total > 2 * users) return;
      await sleep(100);
    }
  },
  /** A pod that has written so many lines. */
  log: ({ pod, lines }: LogOrder): Promise<void> => logs().write(pod, lines),
  /** It goes on writing; says how many lines a second it came to, and the number of the last. */
  async follow({ pod, ...order }: FollowOrder): Promise<Followed> {
    let last = 0;
    const perSecond = await atRate(order, () => (last = logs().writeLine(pod)));
    return { perSecond, last };
  },
  /** Changes one row, and says when. */
  mark({ index, text }: MarkOrder): Promise<number> {
    const atMs = Date.now();
    setReason(index, text);
    return Promise.resolve(atMs);
  },
});
