import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test, vi } from "vitest";

import type { NewAuditRecord } from "./audit-log.ts";
import { AuditBuffer, type AuditBufferOptions } from "./audit-buffer.ts";

function denial(user: string, requestId = "r1"): NewAuditRecord {
  return {
    actor: { user },
    verb: "create",
    outcome: "denied",
    httpStatus: 403,
    message: "A viewer may not create.",
    requestId,
  };
}

function setup(options: Partial<AuditBufferOptions> = {}) {
  const clock = new ManualClock();
  const written: NewAuditRecord[] = [];
  const append = vi.fn((records: readonly NewAuditRecord[]) => {
    written.push(...records);
    return Promise.resolve();
  });
  const error = vi.fn();
  const buffer = new AuditBuffer({ log: { append }, clock, logger: { error }, ...options });
  const messages = (): (string | undefined)[] => written.map(({ message }) => message);
  return { clock, written, append, error, buffer, messages };
}

describe("AuditBuffer", () => {
  test("writes what comes together at once, soon", async () => {
    const { clock, buffer, written, append } = setup();
    buffer.record(denial("viewer"));
    buffer.record(denial("deputy"));
    expect(written).toEqual([]);
    await clock.advance(500);
    expect(written).toEqual([denial("viewer"), denial("deputy")]);
    expect(append).toHaveBeenCalledTimes(1);
    await clock.advance(10_000);
    buffer.record(denial("operator"));
    await clock.advance(500);
    expect(written.at(-1)).toEqual(denial("operator"));
    await buffer.close();
    expect(clock.pending).toBe(0);
  });

  test("counts repeats instead of writing them, and begins again after a while", async () => {
    const { clock, buffer, written, messages } = setup();
    for (let count = 0; count < 100; count += 1) buffer.record(denial("viewer", `r${count}`));
    await clock.advance(30_000);
    expect(written).toEqual([denial("viewer", "r0")]);
    buffer.record(denial("viewer"));
    await clock.advance(31_000);
    expect(messages()).toEqual(["A viewer may not create.", "A viewer may not create. (100 more times)"]);
    buffer.record(denial("viewer"));
    await clock.advance(500);
    expect(written).toHaveLength(3);
    await buffer.close();
    expect(clock.pending).toBe(0);
  });

  test("names no more than its rate allows, whatever is thrown at it", async () => {
    const { clock, buffer, written, messages } = setup({ rate: { perSecond: 1, burst: 10 } });
    for (let second = 0; second < 60; second += 1) {
      for (let count = 0; count < 100; count += 1) buffer.record(denial(`user-${second}-${count}`));
      await clock.advance(1_000);
    }
    await buffer.close();
    expect(written.filter(({ actor }) => actor.user !== undefined).length).toBeLessThanOrEqual(70);
    expect(written.length).toBeLessThanOrEqual(80);
    const counted = messages()
      .map((message) => /\((\d+) more times\)/u.exec(message ?? "")?.[1])
      .reduce((sum, count) => sum + Number(count ?? 0), 0);
    // Nothing is named twice, and nothing is left out of the count.
    expect(counted + written.filter(({ message }) => message?.includes("more") !== true).length).toBe(6_000);
  });

  test("keeps what could not be written, up to a limit, and says what was lost", async () => {
    const isDown = () => Promise.reject(new BowlineError("DatabaseUnavailable", "gone"));
    const append = vi.fn<AuditBufferOptions["log"]["append"]>(isDown);
    const { clock, buffer, error } = setup({ log: { append }, rate: { perSecond: 1e6, burst: 1e6 } });
    for (let count = 0; count < 1_990; count += 1) buffer.record(denial(`user-${count}`));
    await clock.advance(500);
    for (let count = 0; count < 15; count += 1) buffer.record(denial(`late-${count}`));
    await clock.advance(500);
    expect(append).toHaveBeenCalledTimes(2);
    append.mockResolvedValue();
    await clock.advance(500);
    expect(append.mock.lastCall?.[0]).toHaveLength(2_000);
    await buffer.close();
    expect(error).toHaveBeenCalledExactlyOnceWith({ lost: 5 }, expect.any(String));
  });

  test("writes everything when it is closed, and nothing later", async () => {
    const { clock, buffer, messages } = setup();
    buffer.record(denial("viewer"));
    buffer.record(denial("viewer"));
    await buffer.close();
    expect(messages()).toEqual(["A viewer may not create.", "A viewer may not create. (once more)"]);
    buffer.record(denial("deputy"));
    await clock.advance(100_000);
    expect(messages()).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });
});
