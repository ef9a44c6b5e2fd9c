import { randomInt } from "node:crypto";

import type { BowlineError, Random } from "@bowline/core";
import { ManualClock, seededRandom } from "@bowline/core/testing";
import {
  connect,
  createInformer,
  resources,
  type Informer,
  type InformerOptions,
  type Transport,
} from "@bowline/kube";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { describe, expect, it, onTestFinished } from "vitest";

import { Churn } from "./faults/churn.ts";
import { RandomFaults } from "./faults/random-faults.ts";
import { scaledClock } from "./faults/scaled-clock.ts";
import { differences, ShadowCopy, type Version } from "./faults/shadow-copy.ts";

const objectCount = 1000;
const faultsPerCheckpoint = 10;
/** Choose one with FAULT_SEED to see a run again. */
const firstSeed = Number(process.env["FAULT_SEED"] ?? randomInt(1_000_000));
/** One long run, in which troubles add up, and two that begin afresh. */
const runs = [
  { seed: firstSeed, strikes: 200 },
  { seed: firstSeed + 1, strikes: 40 },
  { seed: firstSeed + 2, strikes: 40 },
];

/** Shorter than the default, so that a run has time for more faults. */
const backoff = { baseMs: 100, maxMs: 3000, factor: 2, jitter: 0.5, resetAfterMs: 10_000 };

describe("informers under faults", () => {
  it.each(runs)(
    "lose nothing and tell nothing twice in $strikes faults (FAULT_SEED=$seed)",
    async ({ seed, strikes }) => {
      const random = seededRandom(seed);
      const { churn, followed, faults, calm } = await stormyCluster(random);
      for (let struck = 0; struck < strikes; struck++) {
        // Half of the faults meet informers that have recovered, the others those that are still about it.
        if (random() < 0.5) await Promise.all(followed.map(watches));
        await faults.strike();
        if (struck % faultsPerCheckpoint !== 0) continue;
        calm();
        for (const each of followed) await agrees(each, churn);
      }
      calm();
      for (const each of followed) await agrees(each, churn);
      expect(faults.total).toBe(strikes);
      for (const { informer, shadow } of followed) {
        // It was no walk in the park: they failed often, and in a long run had to read everything again.
        expect(informer.state().failures).toBeGreaterThan(strikes / 10);
        expect(informer.state().relists).toBeGreaterThanOrEqual(Math.floor(strikes / 100));
        expect(shadow.broken).toEqual([]);
      }
    },
  );
});

describe("a frozen socket", () => {
  it("is noticed within 60 s, and the watch goes on where it was", async () => {
    const clock = new ManualClock();
    // The longest a watch may last by the client's defaults.
    const random: Random = () => 0.999_999;
    const kubesim = await start({});
    const churn = new Churn({ kubesim, namespace: "default", random });
    churn.create(3);
    const { informer, shadow } = follow(kubesim, { clock, random, watchList: "never" });
    await informer.synced();
    await expect.poll(() => informer.state().phase).toBe("watching");
    const frozen = kubesim.faults.freezeSockets({ userAgent: "informer", verb: "watch" });
    churn.create(1);
    await clock.advance(60_000);
    expect(informer.state()).toMatchObject({ failures: 1, synced: true });
    expect(shadow.objects.size).toBe(3);
    frozen.remove();
    // The attempt that met the frozen server is given up after as long again; then the way is free.
    await clock.advance(60_000);
    await expect
      .poll(async () => {
        await clock.advance(1000);
        return differences(informer.list(), churn.truth());
      })
      .toEqual([]);
    expect(informer.state().relists).toBe(0);
    expect(shadow.broken).toEqual([]);
  });
});

interface StormyCluster {
  readonly churn: Churn;
  readonly followed: readonly Followed[];
  readonly faults: RandomFaults;
  /** Ends all faults that are still in force. */
  readonly calm: () => void;
}

/** `random` decides what changes and what breaks, and nothing else: a seed gives the same story every time. */
async function stormyCluster(random: Random): Promise<StormyCluster> {
  // A second of the client's and the server's limits lasts 5 ms here: timeouts and backoffs are as in life.
  const clock = scaledClock(200);
  const kubesim = await start({ clock, historyLimit: 300 });
  const churn = new Churn({ kubesim, namespace: "default", random });
  churn.create(objectCount);
  const faults = new RandomFaults({
    faults: kubesim.faults,
    random,
    clock,
    match: { userAgent: "informer", resource: "configmaps" },
    meanwhile: () => {
      for (let index = 0; index < 20; index++) churn.change();
    },
  });
  const followed = [
    follow(kubesim, { clock, watchList: "never", pageSize: 200 }),
    follow(kubesim, { clock, watchList: "auto" }),
    follow(kubesim, { clock, watchList: "never", pageSize: 400, labelSelector: "color=red" }),
    follow(kubesim, { clock, watchList: "auto", metadataOnly: true, labelSelector: "color=red" }),
  ];
  return { churn, followed, faults, calm: () => kubesim.faults.clear() };
}

interface Followed {
  readonly informer: Informer<Version>;
  readonly shadow: ShadowCopy;
  readonly red: boolean;
}

type FollowOptions = Pick<
  InformerOptions<Version>,
  "clock" | "random" | "watchList" | "pageSize" | "labelSelector" | "metadataOnly"
>;

async function start(options: Parameters<typeof startKubesim>[0]): Promise<Kubesim> {
  const kubesim = await startKubesim({ controllers: false, ...options });
  onTestFinished(() => kubesim.stop());
  return kubesim;
}

function follow(kubesim: Kubesim, options: FollowOptions): Followed {
  const transport = connectInformer(kubesim, options);
  const informer = createInformer<Version>({
    transport,
    resource: resources.configMaps,
    namespace: "default",
    project: ({ metadata: { name = "", uid = "", resourceVersion } }) => ({
      name,
      uid,
      resourceVersion: Number(resourceVersion),
    }),
    onError: (error: BowlineError) => {
      throw error;
    },
    backoff,
    ...options,
  });
  const shadow = new ShadowCopy();
  informer.addHandler(shadow);
  informer.start();
  onTestFinished(async () => {
    await informer.stop();
    await transport.close();
  });
  return { informer, shadow, red: options.labelSelector !== undefined };
}

function connectInformer(kubesim: Kubesim, { clock }: FollowOptions): Transport {
  return connect(
    {
      name: "faults",
      server: kubesim.url,
      namespace: "default",
      ca: { pem: kubesim.caCert },
      insecureSkipVerify: false,
      auth: { type: "token", token: kubesim.adminToken },
    },
    { userAgent: "informer", ...(clock === undefined ? {} : { clock }) },
  );
}

async function watches({ informer }: Followed): Promise<void> {
  await expect.poll(() => informer.state().phase).toBe("watching");
}

/** The cache catches up with the truth, and so does what the handlers were told. */
async function agrees({ informer, shadow, red }: Followed, churn: Churn): Promise<void> {
  await expect.poll(() => differences(informer.list(), churn.truth({ red }))).toEqual([]);
  expect(differences(shadow.objects.values(), churn.truth({ red }))).toEqual([]);
}
