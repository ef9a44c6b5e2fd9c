import { asRecord } from "@bowline/core";
import { expect, test } from "vitest";
import type { KubeClient } from "@bowline/kube";

import { advance, type ProviderAnswer, type ProviderGoal, type WantedCluster } from "../../provider.ts";
import { MemoryRecords } from "../memory-records.ts";
import { testWork } from "../provider-work.ts";
import { topology, topologyStage } from "./cluster-api-stages.ts";
import { ClusterApiWorld, specWith, worldNamespace } from "./cluster-api-world.ts";
import type { StatusForm } from "./cluster-status.ts";
import { clustersOf, networkResource } from "./definitions.ts";

const anHourMs = 3_600_000;

/** A cluster in a world of its own, under the hands of a provider. */
class Tried {
  readonly world: ClusterApiWorld;
  readonly records = new MemoryRecords();
  spec: WantedCluster["spec"];

  constructor(world: ClusterApiWorld, spec: WantedCluster["spec"]) {
    this.world = world;
    this.spec = spec;
  }

  work(): ReturnType<typeof testWork> {
    const { records, spec, world } = this;
    return testWork({ ...world.cluster, spec }, { records, clock: world.clock });
  }

  round(goal: ProviderGoal = "present"): Promise<ProviderAnswer> {
    return advance(this.world.provider(), this.work(), goal);
  }

  async until(state: ProviderAnswer["state"], goal: ProviderGoal = "present"): Promise<ProviderAnswer> {
    for (let round = 0; round < 100; round += 1) {
      const answer = await this.round(goal);
      if (answer.state === state) return answer;
      await this.world.pass(answer.retryAfterMs ?? 5_000);
    }
    throw new Error(`It was not ${state} after 100 rounds.`);
  }

  async kubeconfig(): Promise<string> {
    return (await this.world.provider().credentials(this.work())).kubeconfig;
  }

  async clusterSpec(): Promise<Readonly<Record<string, unknown>>> {
    return asRecord((await this.world.liveCluster())["spec"]);
  }
}

/** What a cluster of Cluster API does beyond the contract of all providers. */
export function clusterApiBehaviour(form: StatusForm, admin: () => KubeClient): void {
  const { version } = form;
  const tellsOfMachines = version === "v1beta2" || form.hasNewConditions === true;
  const tried = (spec = topologyStage(form, admin).spec): Tried =>
    new Tried(new ClusterApiWorld(admin(), form), spec);

  test("tells each step on the way in the words of Cluster API", async () => {
    const cluster = tried();
    const steps: (readonly [reason: string, step: number | undefined])[] = [];
    for (let answer = await cluster.round(); answer.state === "creating"; answer = await cluster.round()) {
      if (answer.reason !== undefined) steps.push([answer.reason, answer.step?.number]);
      await cluster.world.pass(answer.retryAfterMs ?? 0);
    }
    const different = steps.filter(([reason], index) => reason !== steps[index - 1]?.[0]);
    const nodes = tellsOfMachines ? [["CreatingNodes", 4]] : [];
    expect(different).toEqual([["CreatingNetwork", 2], ["CreatingControlPlane", 3], ...nodes]);
    cluster.world.controllers.stallsAt = "Pending";
  });

  test("says what a cluster waits for that comes no further", async () => {
    const cluster = tried();
    cluster.world.controllers.stallsAt = "Pending";
    let answer = await cluster.round();
    for (let round = 0; round < 6; round += 1) {
      await cluster.world.pass(answer.retryAfterMs ?? 0);
      answer = await cluster.round();
    }
    expect(answer).toMatchObject({ state: "creating", reason: "CreatingNetwork" });
    expect(answer.message).toMatch(/load balancer is (?:being )?made/);
    expect(answer.message).not.toContain("\n");
  });

  test("is blocked while Cluster API has given up, or while it is paused", async () => {
    const cluster = tried();
    cluster.world.controllers.failure = { reason: "CreateError", message: "no such image" };
    const failed = await cluster.until("blocked");
    expect(failed.reason).toBe("ClusterFailed");
    expect(failed.message).toContain("CreateError: no such image");
    cluster.world.controllers.failure = undefined;
    await cluster.until("ready");
    const pause = async (paused: boolean): Promise<void> => {
      const place = { namespace: worldNamespace, name: cluster.world.cluster.name };
      await admin().patch(clustersOf(version), { spec: { paused } }, { type: "merge", ...place });
    };
    await pause(true);
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "Paused" });
    await pause(false);
    await cluster.until("ready");
  });

  test("writes a Cluster of its class, with variables of their types", async () => {
    const cluster = tried();
    await cluster.until("ready");
    const byName = version === "v1beta1" ? { class: "small" } : { classRef: { name: "small" } };
    expect(await cluster.clusterSpec()).toEqual({
      topology: {
        ...byName,
        version: "v1.36.4",
        controlPlane: { replicas: 1 },
        workers: { machineDeployments: [{ class: "general", name: "md-0", replicas: 1 }] },
        variables: [
          { name: "disks", value: 2 },
          { name: "spot", value: true },
          { name: "zone", value: "1.30" },
        ],
      },
    });
  });

  test("scales, upgrades and takes groups of machines away by a changed object, and is updating meanwhile", async () => {
    const cluster = tried();
    await cluster.until("ready");
    const { uid } = (await cluster.world.liveCluster()).metadata;
    for (const name of ["md-1", "md-2"]) {
      const workers = [{ class: "general", name, replicas: 5 }];
      cluster.spec = specWith({ topology: { ...topology, kubernetesVersion: "1.36.5", workers } });
      expect(await cluster.round()).toMatchObject({ state: "updating", reason: "Updating" });
      await cluster.until("ready");
      const { topology: written } = await cluster.clusterSpec();
      expect(written).toMatchObject({
        version: "v1.36.5",
        workers: { machineDeployments: [{ name, replicas: 5 }] },
      });
    }
    expect((await cluster.world.liveCluster()).metadata.uid).toBe(uid);
  });

  test("leaves alone what others add to its objects, and puts back marks that somebody took away", async () => {
    const cluster = tried();
    await cluster.until("ready");
    const place = { namespace: worldNamespace, name: cluster.world.cluster.name };
    const labels = { team: "payments", "bowline.dev/cluster": null };
    await admin().patch(clustersOf(version), { metadata: { labels } }, { type: "merge", ...place });
    await cluster.until("updating");
    await cluster.until("ready");
    const { metadata } = await cluster.world.liveCluster();
    expect(metadata.labels).toMatchObject({
      team: "payments",
      "bowline.dev/cluster": cluster.world.cluster.id,
    });
  });

  test("says which version, class or variable Cluster API cannot have", async () => {
    const blockedBy = async (changes: Partial<typeof topology>): Promise<string | undefined> =>
      (await tried(specWith({ topology: { ...topology, ...changes } })).round()).reason;
    expect(await blockedBy({ kubernetesVersion: "1.36" })).toBe("VersionNotOffered");
    expect(await blockedBy({ class: "large" })).toBe("ClassMissing");
    const variables = { ...topology.variables, disks: "two" };
    expect(await blockedBy({ variables })).toBe("VariableInvalid");
  });

  test("waits for a management cluster that is offline for an hour, and goes on", async () => {
    const cluster = tried();
    await cluster.world.breakDown(true);
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "ManagementClusterOffline" });
    await cluster.world.breakDown(false);
    await cluster.until("ready");
    await cluster.world.breakDown(true);
    for (let waitedMs = 0; waitedMs < anHourMs; waitedMs += 600_000) {
      const answer = await cluster.round();
      expect(answer).toMatchObject({ state: "updating", reason: "ManagementClusterOffline" });
      expect(answer.message).toContain("mgmt");
      await cluster.world.clock.advance(600_000);
    }
    await cluster.world.breakDown(false);
    expect(await cluster.round()).toMatchObject({ state: "ready" });
    await cluster.round("absent");
    await cluster.world.breakDown(true);
    const answer = await cluster.round("absent");
    expect(answer).toMatchObject({ state: "deleting", reason: "ManagementClusterOffline" });
    expect(answer.message).toContain("deletionPolicy");
    await cluster.world.breakDown(false);
    await cluster.until("gone", "absent");
  });

  test("reads a kubeconfig that rotates anew each time, and only of its own cluster", async () => {
    const cluster = tried();
    await expect(cluster.kubeconfig()).rejects.toThrow("no kubeconfig");
    await cluster.until("ready");
    expect(await cluster.kubeconfig()).toContain("token-1-of-");
    await cluster.world.controllers.rotate();
    expect(await cluster.kubeconfig()).toContain("token-2-of-");
    expect(JSON.stringify(await cluster.records.list())).not.toContain("token-");
    await cluster.world.takeAway();
    await cluster.world.putForeign();
    await cluster.world.controllers.rotate();
    await expect(cluster.kubeconfig()).rejects.toThrow("no kubeconfig");
  });

  test("is lost when somebody deletes it in the management cluster, and never takes what follows it", async () => {
    const cluster = tried();
    await cluster.until("ready");
    await cluster.world.takeAway();
    expect(await cluster.round()).toMatchObject({ state: "updating", reason: "Missing" });
    expect(await cluster.until("lost")).toMatchObject({ reason: "Lost" });
    await cluster.world.putForeign();
    const before = await cluster.world.foreign();
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "NameTaken" });
    await cluster.until("gone", "absent");
    expect(await cluster.world.foreign()).toEqual(before);
  });

  test("writes nothing to a cluster that somebody else is deleting", async () => {
    const cluster = tried();
    await cluster.until("ready");
    cluster.world.controllers.holdsDeletion = "waiting for machines";
    const place = { namespace: worldNamespace, name: cluster.world.cluster.name };
    await admin().delete(clustersOf(version), place);
    cluster.spec = specWith({ topology: { ...topology, kubernetesVersion: "1.36.5" } });
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "DeletedElsewhere" });
    expect(await cluster.clusterSpec()).toMatchObject({ topology: { version: "v1.36.4" } });
    cluster.world.controllers.holdsDeletion = undefined;
    await cluster.until("lost");
  });

  test("says who holds a deletion, and since when", async () => {
    const cluster = tried();
    await cluster.until("ready");
    const place = { namespace: worldNamespace, name: cluster.world.cluster.name };
    const { metadata } = await cluster.world.liveCluster();
    const finalizers = [...(metadata.finalizers ?? []), "example.test/hold"];
    const patch = { metadata: { finalizers } };
    await admin().patch(clustersOf(version), patch, { type: "merge", ...place, fieldManager: "backup-tool" });
    cluster.world.controllers.holdsDeletion = "waiting for 3 machines";
    await cluster.round("absent");
    await cluster.world.pass(10_000);
    const { state, message = "" } = await cluster.round("absent");
    expect(state).toBe("deleting");
    expect(message).toContain('example.test/hold (set by "backup-tool")');
    expect(message).toContain('cluster.cluster.x-k8s.io (set by "capi-controller-manager")');
    // The older conditions do not say what a deletion waits for.
    expect(message.includes("waiting for 3 machines")).toBe(tellsOfMachines);
    expect(message).not.toContain("asked to go");
    const { deletionTimestamp = "" } = (await cluster.world.liveCluster()).metadata;
    await cluster.world.clock.advance(Date.parse(deletionTimestamp) + anHourMs - cluster.world.clock.now());
    expect((await cluster.round("absent")).message).toContain(`asked to go at ${deletionTimestamp}`);
    cluster.world.controllers.holdsDeletion = undefined;
    await admin().patch(clustersOf(version), { metadata: { finalizers: null } }, { type: "merge", ...place });
    await cluster.until("gone", "absent");
  });

  test("takes the Cluster away first, and what else the template has when that is gone", async () => {
    const template = { definition: "sample", parameters: {} };
    const cluster = tried(specWith({ template }));
    await cluster.until("ready");
    cluster.world.controllers.holdsDeletion = "waiting";
    await cluster.round("absent");
    await cluster.world.pass(60_000);
    await cluster.round("absent");
    expect(await cluster.world.inventory()).toEqual({ Cluster: 1, SampleNetwork: 1, Secret: 1 });
    cluster.world.controllers.holdsDeletion = undefined;
    await cluster.until("gone", "absent");
    expect(await cluster.world.inventory()).toEqual({});
  });

  test("makes parts again that were taken away, and removes those that the template loses, once it is ready", async () => {
    const template = { definition: "sample", parameters: {} };
    const cluster = tried(specWith({ template }));
    await cluster.until("ready");
    const network = { namespace: worldNamespace, name: `${cluster.world.cluster.name}-network` };
    await admin().delete(networkResource, network);
    await cluster.until("updating");
    await cluster.until("ready");
    expect(await cluster.world.inventory()).toEqual({ Cluster: 1, SampleNetwork: 1, Secret: 1 });
    const whole = cluster.world.template;
    cluster.world.template = (request) => whole(request).filter(({ kind }) => kind !== "Secret");
    await cluster.until("updating");
    await cluster.until("ready");
    expect(await cluster.world.inventory()).toEqual({ Cluster: 1, SampleNetwork: 1 });
    cluster.world.template = (request) => whole(request).filter(({ kind }) => kind !== "Cluster");
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "TemplateInvalid" });
    cluster.world.template = (request) =>
      whole(request).map((object) =>
        object.kind === "Cluster" ? { ...object, metadata: { name: "another" } } : object,
      );
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "PlaceChanged" });
  });

  test("is an orphan where nobody knows of it any more, of its own installation only", async () => {
    const cluster = tried();
    await cluster.until("ready");
    const { cluster: known, records: _, call: __, ...search } = cluster.work();
    const missed: string[] = [];
    const onMissed = (place: string, error: unknown) => missed.push(`${place}: ${String(error)}`);
    const orphans = async (ids: readonly string[], installation = search.installation) => {
      const given = { ...search, installation, clusters: [known], clusterIds: new Set(ids), onMissed };
      const found = (await cluster.world.provider().orphans?.(given)) ?? [];
      return found.filter(({ clusterId }) => clusterId === known.id);
    };
    const orphan = {
      id: `Cluster ${worldNamespace}/${known.name}`,
      type: "cluster.x-k8s.io:cluster",
      region: "mgmt",
      clusterId: known.id,
    };
    expect(await orphans([known.id])).toEqual([]);
    expect(await orphans([])).toEqual([orphan]);
    expect(await orphans([], "another")).toEqual([]);
    expect(missed).toEqual([]);
    await cluster.world.breakDown(true);
    expect(await orphans([])).toEqual([]);
    expect(missed).toEqual([expect.stringMatching(/^the namespace .* of mgmt: .*No agent/u)]);
  });

  test("is not made a second time in another management cluster", async () => {
    const cluster = tried();
    await cluster.until("ready");
    cluster.spec = specWith({ topology, managementCluster: "other" });
    // The same API server under another name: the cluster was moved there, with its marks.
    expect(await cluster.round()).toMatchObject({ state: "ready" });
    expect(await cluster.records.list()).toMatchObject([{ region: "other", state: "ready" }]);
    await cluster.world.takeAway();
    cluster.spec = specWith({ topology, managementCluster: "third" });
    expect(await cluster.round()).not.toMatchObject({ state: "creating" });
    expect(await cluster.world.inventory()).toEqual({});
  });
}
