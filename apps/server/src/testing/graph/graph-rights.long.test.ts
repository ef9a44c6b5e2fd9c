import type { GraphAnswer } from "@bowline/api";
import type { Random } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";
import { nodeKind } from "@bowline/graph";
import type { Kubesim, SimObject } from "@bowline/kubesim";
import { expect, test } from "vitest";

import { faultSeed } from "../crash/fault-seed.ts";
import { differences } from "../crash/kept-promises.ts";
import { Fleet } from "../fleet/fleet.ts";
import { calm, observeWidgets } from "./calm.ts";
import { ChangingCluster } from "./changing-cluster.ts";
import { randomKinds } from "./random-objects.ts";
import { toldGraph } from "./stored-graph.ts";

const user = { name: "the-agent", token: "token-of-the-agent" };
const rbac = "rbac.authorization.k8s.io";
const roles = `clusterroles.${rbac}`;
const limits = { timeout: 60_000, interval: 200 };

/** Rights to read, as a rule of a role has them. */
function ruleFor(resource: string): object {
  const [plural = "", ...group] = resource.split(".");
  return { apiGroups: [group.join(".")], resources: [plural], verbs: ["get", "list", "watch"] };
}

/** A role that may read everything but this, and takes its place if there is one. */
function allow(sim: Kubesim, ...lost: readonly string[]): void {
  const readable = Object.keys(randomKinds).filter((resource) => !lost.includes(resource));
  const rules = [...readable.map(ruleFor), ruleFor("workloads.bowline.dev"), ruleFor("events")];
  const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", rules };
  const before = sim.api.get(roles, undefined, user.name);
  if (before === undefined) sim.api.create(roles, { ...role, metadata: { name: user.name } });
  else sim.api.update(roles, { ...before, rules });
}

function bind(sim: Kubesim): void {
  sim.addUser(user.token, { name: user.name, groups: [] });
  sim.api.create(`clusterrolebindings.${rbac}`, {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: user.name },
    subjects: [{ kind: "User", apiGroup: rbac, name: user.name }],
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: user.name },
  });
}

/** Some kinds, of all that are in the graph; without namespaces hardly anything could be said about the others. */
function someKinds(random: Random): string[] {
  const all = Object.keys(randomKinds).filter((resource) => resource !== "namespaces");
  return ["services", ...all.filter((resource) => resource !== "services" && random() < 0.15)];
}

function kindsOf(resources: readonly string[]): string[] {
  return resources
    .map((resource) => {
      const { apiVersion = "", kind = "" } = randomKinds[resource] ?? {};
      return nodeKind(apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "", kind);
    })
    .toSorted();
}

/** What an answer says is not observed. */
async function gaps(fleet: Fleet, cluster: string, atMs?: number) {
  const at = atMs === undefined ? "" : `&at=${new Date(atMs).toISOString()}`;
  const path = `graph/blast-radius?cluster=${cluster}&node=Namespace//default${at}`;
  const { notObserved }: GraphAnswer = JSON.parse(await fleet.get(path));
  return notObserved.toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
}

test(
  `a right that is lost removes nothing and is told, and one that is given back makes the graph right (FAULT_SEED=${faultSeed})`,
  { timeout: 240_000 },
  async () => {
    const random = seededRandom(faultSeed);
    const prepare = (sim: Kubesim): typeof user => {
      allow(sim);
      bind(sim);
      return user;
    };
    const fleet = await Fleet.open(["north"], { prepare });
    const [cluster] = fleet.clusters;
    if (cluster === undefined) throw new Error("A fleet has a cluster.");
    const { name, sim } = cluster;
    await observeWidgets(fleet, name);
    const changing = new ChangingCluster(sim, random);
    changing.begin();
    changing.changes(200);
    const known = service(sim, "default", "known");
    await calm(fleet, cluster);
    expect(await gaps(fleet, name)).toEqual([]);

    const lost = someKinds(random);
    // All that may be read of them from now on is what is in one namespace.
    letRead(sim, "services", "default");
    await calm(fleet, cluster);
    const before = new Map(lost.map((resource) => [resource, [...sim.api.list(resource)]]));
    const frozen = (resource: string): Iterable<SimObject> => {
      const kept = before.get(resource);
      if (kept === undefined) return sim.api.list(resource);
      if (resource !== "services") return kept;
      const others = kept.filter(({ metadata }) => metadata.namespace !== "default");
      return [...others, ...sim.api.list(resource, "default")];
    };
    const lostMs = Date.now();
    allow(sim, ...lost);
    for (const resource of lost) sim.faults.dropWatches({ resource });
    sim.api.delete("services", "default", known);
    service(sim, "default", "later");
    changing.changes(100);
    const said = async (): Promise<string[]> =>
      (await gaps(fleet, name)).map(({ kind, namespace, state }) => `${kind} ${namespace} ${state}`);
    const forbidden = kindsOf(lost).map((kind) => `${kind}  FORBIDDEN`);
    await expect.poll(said, limits).toEqual(forbidden);
    const told = await gaps(fleet, name);
    expect(told.filter(({ since }) => Date.parse(since) < lostMs)).toEqual([]);
    expect(told.filter(({ message }) => message?.includes("Add to its ClusterRole") !== true)).toEqual([]);
    const { atMs, lines } = await calm(fleet, cluster, frozen);

    await Promise.all([fleet.server.kill(), cluster.agents[0]?.kill()]);
    changing.changes(50);
    await fleet.server.start();
    await cluster.agents[0]?.start();
    await calm(fleet, cluster, frozen);
    expect(await gaps(fleet, name)).toEqual(told);

    allow(sim);
    await expect.poll(said, limits).toEqual([]);
    await calm(fleet, cluster);
    expect(await gaps(fleet, name, atMs)).toEqual(told);
    expect(differences(lines, await toldGraph(fleet, name, atMs))).toEqual([]);
  },
);

function service(sim: Kubesim, namespace: string, name: string): string {
  const spec = { ports: [{ port: 80 }], selector: { app: "web" } };
  sim.api.create("services", { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec });
  return name;
}

function letRead(sim: Kubesim, resource: string, namespace: string): void {
  const [apiVersion, metadata] = [`${rbac}/v1`, { name: user.name, namespace }];
  sim.api.create(`roles.${rbac}`, { apiVersion, kind: "Role", metadata, rules: [ruleFor(resource)] });
  const subjects = [{ kind: "User", apiGroup: rbac, name: user.name }];
  const roleRef = { apiGroup: rbac, kind: "Role", name: user.name };
  sim.api.create(`rolebindings.${rbac}`, { apiVersion, kind: "RoleBinding", metadata, subjects, roleRef });
}
