import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { seededRandom } from "@bowline/core/testing";
import type { Kubesim } from "@bowline/kubesim";
import { expect, test } from "vitest";

import { faultSeed } from "../crash/fault-seed.ts";
import { ReconcileRecord } from "../crash/reconcile-record.ts";
import { Fleet } from "../fleet/fleet.ts";
import { calm, observeWidgets } from "./calm.ts";
import { ChangingCluster } from "./changing-cluster.ts";

const canary = "CANARY-5d0c77e1";
const spellings = [canary, Buffer.from(canary).toString("base64"), Buffer.from(canary).toString("hex")];

/** A namespace that no change at random removes. */
const kept = "kept";

/** Everything that servers log. */
class KeptLog extends ReconcileRecord {
  readonly lines: string[] = [];

  override note(worker: string, text: string): void {
    this.lines.push(text);
    super.note(worker, text);
  }
}

/** The canary in every place in which people keep what nobody else should read. */
function hide(sim: Kubesim, name: string): void {
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ data: { password: canary } }),
    note: canary,
  };
  const metadata = { name, namespace: kept, annotations };
  const data = { password: Buffer.from(canary).toString("base64") };
  const env = [
    { name: "PASSWORD", value: canary },
    { name: "OTHER", valueFrom: { secretKeyRef: { name, key: "password" } } },
  ];
  const container = {
    name: "app",
    image: "example.test/app:1",
    env,
    args: [canary],
    command: ["sh", canary],
  };
  const template = { metadata: { labels: { app: name }, annotations }, spec: { containers: [container] } };
  const selector = { matchLabels: { app: name } };
  const { api } = sim;
  api.create("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
  api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { password: canary } });
  api.create("pods", { apiVersion: "v1", kind: "Pod", metadata, spec: template.spec });
  api.create("deployments.apps", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { replicas: 1, selector, template },
  });
  api.create("widgets.example.com", {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata,
    spec: { password: canary },
  });
}

/** Everything in the files of a folder, each after its name. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "latin1")] as const)),
  );
}

const questions = [
  "graph/uses?node=Secret/kept/vault",
  "graph/uses?node=ConfigMap/kept/vault",
  "graph/blast-radius?node=Secret/kept/vault",
  "graph/path?from=Pod/kept/vault&to=Secret/kept/vault",
  "graph/export?format=json&cluster=north",
  "graph/export?format=cypher&cluster=north",
  "graph/export?format=dot&cluster=north",
  "graph/search?text=vault",
  "graph/audit",
  "graph/orphans",
  "graph/images",
  "views",
  "clusters/north",
];

test(
  `no value of the cluster is in a file, a log or an answer, whoever is killed on the way (FAULT_SEED=${faultSeed})`,
  { timeout: 180_000 },
  async () => {
    const record = new KeptLog();
    const fleet = await Fleet.open(["north"], { record, agentFlags: ["--log-level", "debug"] });
    const [cluster] = fleet.clusters;
    const [agent] = cluster?.agents ?? [];
    if (cluster === undefined || agent === undefined) throw new Error("A fleet has a cluster with an agent.");
    await observeWidgets(fleet, cluster.name);
    const changing = new ChangingCluster(cluster.sim, seededRandom(faultSeed));
    changing.begin();
    const metadata = { name: kept };
    cluster.sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
    await expect.poll(() => cluster.sim.api.list("widgets.example.com")).toEqual([]);
    hide(cluster.sim, "vault");
    changing.changes(50);
    await calm(fleet, cluster);
    const files = await filesIn(fleet.server.dataFolder);
    await fleet.server.kill();
    await agent.kill();
    hide(cluster.sim, "safe");
    await fleet.server.start();
    await agent.start();
    await calm(fleet, cluster);
    const answers = await Promise.all(questions.map((path) => fleet.get(path)));
    await fleet.server.kill();
    await agent.kill();

    const places = new Map([
      ...[...files].map(([file, text]) => [`${file} while it ran`, text] as const),
      ...(await filesIn(fleet.server.dataFolder)),
      ...(await filesIn(agent.folder)),
      ["the log of the server", record.lines.join("\n")],
      ["the log of the agent", agent.printed],
      ...answers.map((answer, index) => [`the answer to ${questions[index]}`, answer] as const),
    ]);
    const found = [...places].filter(([, text]) => spellings.some((each) => text.includes(each)));
    expect(found.map(([place]) => place)).toEqual([]);
    // What is no secret is there to be read, so that the search above can find something.
    const telling = [...places].filter(([, text]) => text.includes("vault")).map(([place]) => place);
    expect(telling.filter((place) => place.startsWith("the answer to graph"))).toHaveLength(11);
    expect(telling.filter((place) => place.includes("bowline.db"))).not.toEqual([]);
    expect(record.lines.length).toBeGreaterThan(10);
    expect(agent.printed.length).toBeGreaterThan(100);
  },
);
