import type { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KubeClient } from "../client/kube-client.ts";
import { LeaseApi, type LeaseConnection } from "../testing/fake-apis.ts";
import { LeaseElector, type LeadershipEnd, type LeaseElectorOptions } from "./lease-elector.ts";

/** One process that takes part, with a wall clock of its own. */
class Participant {
  readonly connection: LeaseConnection;
  readonly elector: LeaseElector;
  readonly errors: BowlineError[] = [];
  readonly statuses: boolean[] = [];
  readonly ended: Promise<LeadershipEnd>;
  readonly #stop = new AbortController();
  #work: AbortSignal | undefined;

  constructor(
    api: LeaseApi,
    identity: string,
    options: Partial<LeaseElectorOptions> & { readonly clock: ManualClock },
  ) {
    this.connection = api.connect();
    this.elector = new LeaseElector({
      client: new KubeClient(this.connection),
      namespace: "bowline",
      name: "controllers",
      identity,
      random: () => 0,
      onStartedLeading: (signal) => {
        this.#work = signal;
      },
      onStatus: (leading) => this.statuses.push(leading),
      onError: (error) => this.errors.push(error),
      ...options,
    });
    this.ended = this.elector.run(this.#stop.signal);
  }

  /** Takes part again as often as it loses, until it is stopped. */
  async persist(): Promise<void> {
    await this.ended;
    while (!this.#stop.signal.aborted) await this.elector.run(this.#stop.signal);
  }

  /** Whether its work has been started and not been told to stop. */
  get isWorking(): boolean {
    return this.#work !== undefined && !this.#work.aborted;
  }

  stop(): Promise<LeadershipEnd> {
    this.#stop.abort();
    return this.ended;
  }
}

async function advanceAll(clocks: readonly ManualClock[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    for (const clock of clocks) await clock.advance(Math.min(100, ms - passed));
  }
}

describe("LeaseElector", () => {
  it("creates the lease, leads, and renews it every two seconds", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const one = new Participant(api, "one_1", { clock });
    await clock.settle();
    expect(one.isWorking).toBe(true);
    expect(api.lease).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "bowline", name: "controllers" },
      spec: {
        holderIdentity: "one_1",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
    await clock.advance(6_000);
    expect(api.writes).toBe(4);
    expect(api.lease?.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:06.000000Z",
    });
    await one.stop();
    expect(clock.pending).toBe(0);
  });

  it("releases the lease on a clean stop, so that the next one leads at its next attempt", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock();
    const one = new Participant(api, "one", { clock });
    await clock.settle();
    const two = new Participant(api, "two", { clock });
    await clock.advance(3_000);
    expect([one.isWorking, two.isWorking]).toEqual([true, false]);
    expect(two.elector.leader).toBe("one");
    expect(await one.stop()).toBe("stopped");
    expect(api.lease?.spec?.holderIdentity).toBeUndefined();
    await clock.advance(2_000);
    expect(two.isWorking).toBe(true);
    expect(api.lease?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
    await two.stop();
    expect([one.statuses, two.statuses]).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  it("does not release it while the work goes on", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock();
    const work = Promise.withResolvers<void>();
    const one = new Participant(api, "one", { clock, onStartedLeading: () => work.promise });
    await clock.settle();
    const stopped = one.stop();
    await clock.advance(9_000);
    expect(api.lease?.spec?.holderIdentity).toBe("one");
    work.resolve();
    expect(await stopped).toBe("stopped");
    expect(api.lease?.spec?.holderIdentity).toBeUndefined();
  });

  it("leaves the lease to run out when the work does not end in time", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock();
    const one = new Participant(api, "one", {
      clock,
      onStartedLeading: () => new Promise<void>(() => undefined),
    });
    await clock.settle();
    const stopped = one.stop();
    await clock.advance(10_000);
    expect(await stopped).toBe("stopped");
    expect(api.lease?.spec?.holderIdentity).toBe("one");
  });

  it.each(["cut", "mute", "deaf"] as const)(
    "stops 10 s after its last renewal when the way is %s",
    async (state) => {
      const api = new LeaseApi();
      const clock = new ManualClock();
      const one = new Participant(api, "one", { clock });
      await clock.advance(2_000);
      one.connection.state = state;
      await clock.advance(9_999);
      expect(one.isWorking).toBe(true);
      await clock.advance(1);
      expect(one.isWorking).toBe(false);
      expect(await one.ended).toBe("lost");
      expect(clock.pending).toBe(0);
    },
  );

  it("takes over from a silent leader after 15 s, and not before", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock();
    const one = new Participant(api, "one", { clock });
    await clock.settle();
    one.connection.state = "cut";
    const two = new Participant(api, "two", { clock });
    await clock.advance(14_999);
    expect([one.isWorking, two.isWorking]).toEqual([false, false]);
    await clock.advance(2_000);
    expect(two.isWorking).toBe(true);
    expect(one.errors[0]).toMatchObject({ code: "ConnectionFailed" });
    await Promise.all([one.ended, two.stop()]);
  });

  it("stops at once when it sees that somebody else has the lease", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock();
    const one = new Participant(api, "one", { clock });
    await clock.settle();
    const usurped = { ...api.lease, spec: { holderIdentity: "two", leaseDurationSeconds: 15 } };
    api.answer({ method: "PUT", path: "", body: JSON.stringify(usurped) });
    await clock.advance(2_000);
    expect(one.isWorking).toBe(false);
    expect(await one.ended).toBe("lost");
    expect(api.lease?.spec?.holderIdentity).toBe("two");
  });

  it("does not give back what somebody else has when it is stopped in that moment", async () => {
    const api = new LeaseApi();
    const clock = new ManualClock();
    const work = Promise.withResolvers<void>();
    let stopped: Promise<LeadershipEnd> | undefined;
    const one = new Participant(api, "one", {
      clock,
      onStartedLeading: (signal) => {
        signal.addEventListener("abort", () => {
          stopped = one.stop();
          work.resolve();
        });
        return work.promise;
      },
    });
    await clock.settle();
    const usurped = { ...api.lease, spec: { holderIdentity: "two", leaseDurationSeconds: 15 } };
    api.answer({ method: "PUT", path: "", body: JSON.stringify(usurped) });
    await clock.advance(2_000);
    await stopped;
    expect(api.lease?.spec?.holderIdentity).toBe("two");
  });

  it("reports what the work throws, and keeps leading", async () => {
    const clock = new ManualClock();
    const one = new Participant(new LeaseApi(), "one", {
      clock,
      onStartedLeading: () => Promise.reject(new Error("oops")),
    });
    await clock.advance(4_000);
    expect(one.errors.map(({ message }) => message)).toEqual(["oops"]);
    expect(one.elector.isLeading).toBe(true);
    await one.stop();
  });

  it("refuses periods that could make two leaders", () => {
    const wrong = {
      client: new KubeClient(new LeaseApi().connect()),
      namespace: "a",
      name: "b",
      identity: "c",
    };
    const onStartedLeading = (): void => undefined;
    const create = (periods: object) => (): unknown =>
      new LeaseElector({ ...wrong, onStartedLeading, ...periods });
    expect(create({ leaseDurationMs: 10_000 })).toThrow(/longer than its renew deadline/);
    expect(create({ retryPeriodMs: 9_000 })).toThrow(/longer than the retry period/);
  });

  it("never has two leaders, whatever clocks say and however connections fail", async () => {
    const step = fc.record({
      who: fc.nat({ max: 2 }),
      state: fc.constantFrom("open" as const, "cut" as const, "deaf" as const, "mute" as const),
      passMs: fc.integer({ min: 100, max: 20_000 }),
    });
    const skews = fc.tuple(fc.integer(), fc.integer(), fc.integer());
    await fc.assert(
      fc.asyncProperty(skews, fc.array(step, { minLength: 5, maxLength: 15 }), async (skewsMs, steps) => {
        const api = new LeaseApi();
        const clocks = skewsMs.map((skewMs) => new ManualClock(Date.UTC(2026, 0, 1) + skewMs));
        const all = clocks.map((clock, index) => {
          const atWork = (): void =>
            expect(all.filter(({ isWorking }) => isWorking).length).toBeLessThanOrEqual(1);
          return new Participant(api, `p${index}`, { clock, onStatus: atWork });
        });
        const persisting = all.map((participant) => participant.persist());
        for (const { who, state, passMs } of steps) {
          const participant = all[who];
          if (participant !== undefined) participant.connection.state = state;
          await advanceAll(clocks, passMs);
          expect(all.filter(({ isWorking }) => isWorking).length).toBeLessThanOrEqual(1);
        }
        for (const { connection } of all) connection.state = "open";
        for (const participant of all) void participant.stop();
        await Promise.all(persisting);
      }),
      { numRuns: 60 },
    );
  });
});
