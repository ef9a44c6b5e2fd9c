import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { formatHealthReport, Health } from "./health.ts";

const forever = new Promise<never>(() => {});

function setup(): { clock: ManualClock; health: Health } {
  const clock = new ManualClock();
  return { clock, health: new Health({ clock, checkLimitMs: 100 }) };
}

describe("Health", () => {
  test("passes when all checks pass", async () => {
    const { health, clock } = setup();
    health.add("database", async () => {});
    health.add("loop", () => {});
    const report = await health.report();
    expect(formatHealthReport("readyz", report)).toBe("[+]database ok\n[+]loop ok\nreadyz check passed\n");
    expect(report.ok).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("fails when one does, and says which and why on one line", async () => {
    const { health } = setup();
    health.add("database", () => Promise.reject(new Error("connection\nrefused")));
    health.add("loop", () => {});
    const report = await health.report();
    expect(formatHealthReport("readyz", report)).toBe(
      "[-]database failed: connection refused\n[+]loop ok\nreadyz check failed\n",
    );
    expect(report.ok).toBe(false);
  });

  test("a check that hangs fails at the limit and is told so", async () => {
    const { health, clock } = setup();
    let reason: unknown;
    health.add("broker", (signal) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return forever;
    });
    const reporting = health.report();
    await clock.advance(100);
    expect(formatHealthReport("readyz", await reporting)).toContain(
      "[-]broker failed: no answer within 100 ms\n",
    );
    expect(reason).toMatchObject({ code: "Timeout" });
    expect(clock.pending).toBe(0);
  });

  test("does not start a check again that still hangs, but does once it has ended", async () => {
    const { health, clock } = setup();
    const runs: PromiseWithResolvers<void>[] = [];
    health.add("broker", () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    });
    for (let probe = 0; probe < 3; probe += 1) {
      const reporting = health.report();
      await clock.advance(100);
      expect(await reporting).toMatchObject({ ok: false });
    }
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await clock.settle();
    const reporting = health.report();
    await clock.settle();
    runs[1]?.resolve();
    expect(await reporting).toMatchObject({ ok: true });
  });

  test("sees that a check which threw at once has recovered", async () => {
    const { health } = setup();
    let isDown = true;
    health.add("loop", () => {
      if (isDown) throw new Error("stuck");
    });
    expect(await health.report()).toMatchObject({ ok: false });
    isDown = false;
    expect(await health.report()).toMatchObject({ ok: true });
  });

  test("keeps secrets out of the reason", async () => {
    const { health } = setup();
    health.add("database", () =>
      Promise.reject(new Error("cannot reach postgres://bowline:canary@db/bowline")),
    );
    expect(formatHealthReport("readyz", await health.report())).not.toContain("canary");
  });

  test("refuses a second check of the same name, and forgets a removed one", async () => {
    const { health } = setup();
    const remove = health.add("database", () => Promise.reject(new Error("down")));
    expect(() => health.add("database", () => {})).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
    remove();
    expect(await health.report()).toEqual({ ok: true, checks: [] });
  });
});
