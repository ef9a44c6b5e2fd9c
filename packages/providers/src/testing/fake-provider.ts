import type { ClusterProvider } from "@bowline/api";

import { ensureResource, removeResource, type ResourceHandler } from "../ensure-resource.ts";
import type { OrphanedResource, Provider, ProviderAnswer, ProviderWork } from "../provider.ts";
import type { FakeCloud, FakeThing } from "./fake-cloud.ts";

const steps = ["network", "control-plane", "nodes"] as const;
type Step = (typeof steps)[number];

const reasons: Readonly<Record<Step, string>> = {
  network: "CreatingNetwork",
  "control-plane": "CreatingControlPlane",
  nodes: "CreatingNodes",
};

/**
 * A provider of three things, each made after the one before it: written as the real ones are, so that whoever runs
 * providers is tested with one. Its clusters are as large as `spec.maxNodes` says.
 */
export function fakeProvider(cloud: FakeCloud, name: ClusterProvider = "kind"): Provider {
  return {
    name,
    plan: ({ cluster }) =>
      Promise.resolve({
        steps: steps.map((step) => `${step} of ${cluster.name}`),
        hourlyCost: { amount: 0.1 * sizeOf(cluster.spec), currency: "USD" },
        expectedSeconds: 600,
      }),
    observe: (work) => observe(cloud, work),
    next: (work) => next(cloud, work),
    delete: (work) => remove(cloud, work),
    credentials: () =>
      cloud.called("credentials", new AbortController().signal, () => ({ kubeconfig: cloud.kubeconfig })),
    async revokeCredentials({ signal }) {
      if (cloud.revocations === 0) await cloud.called("revoke", signal, () => (cloud.revocations = 1));
      else cloud.revocations += 1;
      return cloud.revocations > 1;
    },
    // Whoever asks knows what it remembers.
    orphans: () => Promise.resolve(cloud.things.map(orphanOf)),
  };
}

function orphanOf({ id, type, clusterId, token }: FakeThing): OrphanedResource {
  return { id, type, clusterId, token };
}

function sizeOf({ maxNodes = 1 }: ProviderWork["cluster"]["spec"]): number {
  return maxNodes;
}

async function observe(cloud: FakeCloud, { cluster, records, clock }: ProviderWork): Promise<ProviderAnswer> {
  const known = await records.list();
  const controlPlane = known.find(({ step }) => step === "control-plane");
  if (known.every(({ state }) => state === "gone")) return { state: "creating", reason: "CreatingNetwork" };
  const things = steps.map((step) => thingOf(cloud, known.find((record) => record.step === step)?.id));
  const isLost = controlPlane?.state === "ready" && things[1] === undefined;
  if (isLost) return { state: "lost", message: "The control plane is gone." };
  const isThere = things.every((thing) => thing !== undefined && thing.readyAtMs <= clock.now());
  if (!isThere) return { state: "creating" };
  const isAsWanted = things[2]?.size === sizeOf(cluster.spec);
  return isAsWanted && known.every(({ state }) => state === "ready")
    ? { state: "ready" }
    : { state: "updating", reason: "Updating" };
}

function thingOf(cloud: FakeCloud, id: string | undefined): FakeThing | undefined {
  return cloud.things.find((thing) => thing.id === id);
}

async function next(cloud: FakeCloud, work: ProviderWork): Promise<ProviderAnswer> {
  for (const [index, step] of steps.entries()) {
    const record = await ensureResource(work, handlerOf(cloud, work, step));
    if (record.state === "ready") continue;
    return {
      state: "creating",
      reason: reasons[step],
      step: { number: index + 1, of: steps.length, text: `Making the ${step}`, expectedSeconds: 60 },
    };
  }
  const nodes = cloud.things.find(({ type, clusterId }) => type === "nodes" && clusterId === work.cluster.id);
  const size = sizeOf(work.cluster.spec);
  if (nodes === undefined || nodes.size === size) return { state: "ready" };
  await work.call("update fake:nodes nodes", () =>
    cloud.called("update nodes", work.signal, () => (nodes.size = size)),
  );
  return { state: "updating", reason: "Updating" };
}

async function remove(cloud: FakeCloud, work: ProviderWork): Promise<ProviderAnswer> {
  for (const step of steps.toReversed()) {
    const record = await removeResource(work, handlerOf(cloud, work, step));
    if (record === undefined || record.state === "gone") continue;
    return { state: "deleting", reason: "DeletingCluster", message: `Deletes the ${step}.` };
  }
  return { state: "gone", ...(cloud.leftOver.length === 0 ? {} : { leftOver: cloud.leftOver }) };
}

function handlerOf(cloud: FakeCloud, { cluster, clock, signal }: ProviderWork, step: Step): ResourceHandler {
  return {
    step,
    type: `fake:${step}`,
    find({ id, token }) {
      const found = cloud.things.find((thing) =>
        id === undefined ? thing.token === token : thing.id === id,
      );
      const isReady = found !== undefined && found.readyAtMs <= clock.now();
      return Promise.resolve(found === undefined ? undefined : { id: found.id, isReady });
    },
    async create({ token }) {
      const thing = { type: step, token, clusterId: cluster.id, size: sizeOf(cluster.spec) };
      const { id, readyAtMs } = await cloud.called(`create ${step}`, signal, () =>
        cloud.create(thing, clock.now()),
      );
      return { id, isReady: readyAtMs <= clock.now() };
    },
    remove: ({ id = "" }) => cloud.called(`delete ${step}`, signal, () => cloud.remove(id)),
  };
}
