import { LeaseElector, resources, type KubeClient, type Lease } from "@bowline/kube";
import { expect, it, onTestFinished } from "vitest";

import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";

const { leases } = resources;

/** Nobody loses the lease because a server or the machine is slow for a moment; a free one is seen soon. */
const periods = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 200 };
/** For who waits until a lease runs out. */
const shortPeriods = { leaseDurationMs: 1500, renewDeadlineMs: 1000, retryPeriodMs: 200 };

export function leaderElectionContract(cluster: () => RunningTarget): void {
  it("has one leader, who writes who it is", async () => {
    const space = await sandbox(cluster());
    const one = candidate(space, "one");
    await one.leads;
    const two = candidate(space, "two");
    const { spec, metadata } = await space.client.get<Lease>(leases, {
      namespace: space.namespace,
      name: "leader",
    });
    expect(spec).toMatchObject({ holderIdentity: "one", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(spec?.acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const version = metadata.resourceVersion;
    const renewed = await untilIs<Lease>(
      leaseOf(space),
      (lease) => lease.metadata.resourceVersion !== version,
    );
    expect(renewed.spec?.holderIdentity).toBe("one");
    expect(renewed.spec?.acquireTime).toBe(spec?.acquireTime);
    expect([one.elector.isLeading, two.elector.isLeading]).toEqual([true, false]);
  });

  it("hands over at once when the leader stops", async () => {
    const space = await sandbox(cluster());
    const one = candidate(space, "one");
    await one.leads;
    const two = candidate(space, "two");
    const released = untilIs<Lease>(leaseOf(space), ({ spec }) => (spec?.holderIdentity ?? "") === "");
    expect(await one.stop()).toBe("stopped");
    await released;
    await two.leads;
    const { spec } = await space.client.get<Lease>(leases, { namespace: space.namespace, name: "leader" });
    expect(spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
    expect([one.elector.isLeading, two.elector.isLeading]).toEqual([false, true]);
  });

  it("replaces a leader who can no longer be heard", async () => {
    const space = await sandbox(cluster());
    const cutOff = cluster().clientWithToken(cluster().adminToken);
    const one = candidate({ ...space, client: cutOff }, "one", shortPeriods);
    await one.leads;
    const two = candidate(space, "two", shortPeriods);
    await cutOff.transport.close();
    expect(await one.ended).toBe("lost");
    await two.leads;
    expect([one.elector.isLeading, two.elector.isLeading]).toEqual([false, true]);
  });

  it("gives way when somebody takes the lease by hand", async () => {
    const space = await sandbox(cluster());
    const one = candidate(space, "one");
    await one.leads;
    await takeOver(space.client, space.namespace);
    expect(await one.ended).toBe("lost");
  });
}

interface Candidate {
  readonly elector: LeaseElector;
  /** Resolves when it leads for the first time. */
  readonly leads: Promise<void>;
  readonly ended: Promise<string>;
  stop(): Promise<string>;
}

function candidate({ client, namespace }: Sandbox, identity: string, every = periods): Candidate {
  const leading = Promise.withResolvers<void>();
  const elector = new LeaseElector({
    client,
    namespace,
    name: "leader",
    identity,
    onStartedLeading: () => leading.resolve(),
    ...every,
  });
  const stopping = new AbortController();
  const ended = elector.run(stopping.signal);
  const stop = (): Promise<string> => {
    stopping.abort();
    return ended;
  };
  onTestFinished(async () => {
    await stop();
  });
  return { elector, leads: leading.promise, ended, stop };
}

function leaseOf({ client, namespace }: Sandbox): {
  client: KubeClient;
  resource: typeof leases;
  namespace: string;
  name: string;
} {
  return { client, resource: leases, namespace, name: "leader" };
}

/** As `kubectl patch lease` would. */
async function takeOver(client: KubeClient, namespace: string): Promise<void> {
  const spec = { holderIdentity: "somebody", renewTime: new Date().toISOString().replace("Z", "000Z") };
  await client.patch(leases, { spec }, { namespace, name: "leader", type: "merge" });
}
