import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ManualClock } from "@bowline/core/testing";
import { connect, KubeClient, loadKubeconfig } from "@bowline/kube";
import { startKubesim, type Kubesim, type SimObject } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { silentLogger } from "../testing/session-fixture.ts";
import { ReporterElection, type ReportWork } from "./reporter-election.ts";

const namespace = "default";

async function startCluster(): Promise<Kubesim> {
  const cluster = await startKubesim({ tls: false, controllers: false });
  onTestFinished(() => cluster.stop());
  return cluster;
}

async function clientOf(cluster: Kubesim): Promise<KubeClient> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-agent-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "kubeconfig");
  await writeFile(path, cluster.kubeconfig());
  const transport = connect(await loadKubeconfig({ paths: [path] }));
  onTestFinished(() => transport.close());
  return new KubeClient(transport);
}

/** An agent that takes part, and what it was told. */
class Participant {
  readonly election: ReporterElection;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  /** How often it was its turn. */
  turns = 0;
  isWorking = false;

  constructor(client: KubeClient, clock: ManualClock, options: { instance: string; work?: ReportWork }) {
    const { instance, work } = options;
    this.election = new ReporterElection({
      client,
      namespace,
      instance,
      clock,
      random: () => 0,
      logger: silentLogger,
    });
    this.ended = this.election.run(work ?? this.#work, this.#stop.signal);
    onTestFinished(() => this.stop());
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.ended;
  }

  readonly #work: ReportWork = async (signal) => {
    this.turns += 1;
    this.isWorking = true;
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    this.isWorking = false;
  };
}

/** How long a participant pauses between two requests for the Lease. */
const pauseMs = 2_000;

/** Lets time pass, whenever all who take part have their answers and pause, until it is so. */
async function untilIt(clock: ManualClock, isSo: () => boolean, participants = 1): Promise<void> {
  do {
    await clock.armed(pauseMs, participants);
    await clock.advance(pauseMs);
  } while (!isSo());
}

const leases = "leases.coordination.k8s.io";

function leaseIn(cluster: Kubesim): SimObject & { readonly spec?: { readonly holderIdentity?: string } } {
  const lease = cluster.api.get(leases, namespace, "bowline-agent");
  if (lease === undefined) throw new Error("There is no Lease.");
  return lease;
}

const holderOf = (cluster: Kubesim): string | undefined => leaseIn(cluster).spec?.holderIdentity;

describe("of two agents of a cluster", () => {
  test("one reports, and the other one when the first leaves", async () => {
    const [cluster, clock] = [await startCluster(), new ManualClock()];
    const client = await clientOf(cluster);
    const one = new Participant(client, clock, { instance: "one" });
    await untilIt(clock, () => one.isWorking);
    expect(holderOf(cluster)).toMatch(/^one_/u);
    await clock.armed(pauseMs);
    const two = new Participant(client, clock, { instance: "two" });
    await untilIt(clock, () => clock.monotonicMs() > 20_000, 2);
    expect([one.election.isReporter, two.election.isReporter]).toEqual([true, false]);
    // At rest: who is stopped in the middle of a renewal leaves the Lease to run out.
    await clock.armed(pauseMs, 2);
    await one.stop();
    expect(holderOf(cluster)).toBeUndefined();
    await untilIt(clock, () => two.isWorking);
    expect([one.election.isReporter, two.election.isReporter]).toEqual([false, true]);
    await two.stop();
    expect(clock.pending).toBe(0);
  });

  test("the one that loses the Lease stops, and is a candidate again", async () => {
    const [cluster, clock] = [await startCluster(), new ManualClock()];
    const client = await clientOf(cluster);
    const one = new Participant(client, clock, { instance: "one" });
    await untilIt(clock, () => one.isWorking);
    const lease = leaseIn(cluster);
    cluster.api.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: "somebody" } });
    await untilIt(clock, () => !one.isWorking);
    expect(one.election.isReporter).toBe(false);
    // Nobody hears of somebody any more.
    await untilIt(clock, () => one.isWorking);
    expect(one.turns).toBe(2);
  });
});

test("reports that fail give the Lease away, and are tried again", async () => {
  const [cluster, clock] = [await startCluster(), new ManualClock()];
  let turns = 0;
  const work: ReportWork = async () => {
    turns += 1;
    throw new Error("No way to report.");
  };
  const one = new Participant(await clientOf(cluster), clock, { instance: "one", work });
  // The first pause of the usual backoff.
  await clock.armed(800);
  expect([turns, holderOf(cluster)]).toEqual([1, undefined]);
  expect(one.election.isReporter).toBe(false);
  await clock.advance(800);
  await expect.poll(() => turns).toBe(2);
});

test("an agent that may not have the Lease does not report", async () => {
  const cluster = await startCluster();
  const clock = new ManualClock();
  const refusals = cluster.faults.failRequests({ resource: leases, code: 403 });
  const one = new Participant(await clientOf(cluster), clock, { instance: "one" });
  await untilIt(clock, () => refusals.hits > 4);
  expect(one.election.isReporter).toBe(false);
});
