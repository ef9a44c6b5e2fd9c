import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test, vi } from "vitest";

import type { NewAuditRecord } from "@bowline/store";
import { ProxyAudit, type ProxyAuditLimits } from "./proxy-audit.ts";

const record = (
  requestId: string,
  proxy: Partial<NonNullable<NewAuditRecord["proxy"]>> = {},
): NewAuditRecord => ({
  actor: { user: "editor" },
  verb: "proxy",
  outcome: "allowed",
  httpStatus: 200,
  kind: "Cluster",
  name: "prod",
  requestId,
  proxy: { verb: "get", resource: "pods", requestBytes: 1, answerBytes: 10, durationMs: 5, ...proxy },
});

function setup(limits: Partial<ProxyAuditLimits> = {}) {
  const clock = new ManualClock();
  const written: NewAuditRecord[] = [];
  const append = vi.fn((records: readonly NewAuditRecord[]) => {
    written.push(...records);
    return Promise.resolve();
  });
  const onDropped = vi.fn();
  const error = vi.fn();
  const audit = new ProxyAudit({ log: { append }, clock, logger: { error }, onDropped, limits });
  return {
    clock,
    written,
    append,
    onDropped,
    error,
    audit,
    ids: () => written.map(({ requestId }) => requestId),
  };
}

describe("ProxyAudit", () => {
  test("writes each request, many at once and a moment later", async () => {
    const { clock, audit, append, ids } = setup();
    for (const id of ["a", "b", "c"]) audit.record(record(id));
    expect(append).not.toHaveBeenCalled();
    await clock.advance(250);
    expect(append).toHaveBeenCalledTimes(1);
    expect(ids()).toEqual(["a", "b", "c"]);
    await clock.advance(60_000);
    expect(append).toHaveBeenCalledTimes(1);
    audit.record(record("d"));
    await audit.close();
    expect(ids()).toEqual(["a", "b", "c", "d"]);
    expect(clock.pending).toBe(0);
  });

  test("counts reads that are alike when there are many, and nothing else", async () => {
    const { audit, written } = setup({ foldAbove: 2 });
    for (let count = 0; count < 100; count += 1) {
      audit.record(record(`get-${count}`, { durationMs: count }));
      if (count % 10 === 0) audit.record(record(`delete-${count}`, { verb: "delete" }));
      if (count % 10 === 0) audit.record(record(`watch-${count}`, { verb: "watch" }));
    }
    await audit.close();
    const gets = written.filter(({ proxy }) => proxy?.verb === "get");
    expect(gets.map(({ requestId, proxy }) => [requestId, proxy?.requests])).toEqual([
      ["get-0", undefined],
      ["get-1", 99],
    ]);
    expect(gets[1]?.proxy).toMatchObject({ requestBytes: 99, answerBytes: 990, durationMs: 99 });
    expect(written).toHaveLength(22);
  });

  test("tells reads apart by everything that they are about", async () => {
    const { audit, written } = setup({ foldAbove: 0 });
    const different = [
      { name: "a" },
      { name: "b" },
      { namespace: "a" },
      { subresource: "a" },
      { grant: "a" },
      { user: "a" },
      { group: "a" },
      { resource: "a" },
      { path: "/a" },
      { verb: "list" },
    ].map((part) => record("x", part));
    const alike: NewAuditRecord[] = [
      record("x"),
      ...different,
      { ...record("x"), name: "other" },
      { ...record("x"), httpStatus: 304 },
      { ...record("x"), actor: { user: "viewer" } },
      { ...record("x"), actor: { user: "editor", token: "ci" } },
      { ...record("x"), actor: { user: "editor", address: "10.0.0.1" } },
    ];
    for (const each of [...alike, ...alike]) audit.record(each);
    const alwaysNamed: NewAuditRecord[] = [
      { ...record("x"), message: "The client went away." },
      { ...record("x"), outcome: "denied", httpStatus: 403 },
      record("x", { phase: "start" }),
    ];
    for (const each of [...alwaysNamed, ...alwaysNamed]) audit.record(each);
    await audit.close();
    expect(written.map((each) => each.proxy?.requests)).toEqual([
      ...alike.map(() => 2),
      ...alwaysNamed.flatMap(() => [undefined, undefined]),
    ]);
  });

  test("counts nothing up that is being written, and writes nothing twice", async () => {
    const { clock, audit, append, written } = setup({ foldAbove: 0 });
    const taken = Promise.withResolvers<void>();
    append.mockImplementationOnce(async (records) => {
      await taken.promise;
      written.push(...records);
    });
    audit.record(record("a"));
    await clock.advance(250);
    audit.record(record("b"));
    audit.record(record("c"));
    const closed = audit.close();
    await clock.settle();
    taken.resolve();
    await closed;
    expect(written.map(({ requestId, proxy }) => [requestId, proxy?.requests])).toEqual([
      ["a", undefined],
      ["b", 2],
    ]);
  });

  test("writes in pieces that the database can swallow", async () => {
    const { clock, audit, append } = setup({ batchSize: 10, foldAbove: 1_000 });
    for (let count = 0; count < 25; count += 1) audit.record(record(`r-${count}`));
    await clock.advance(250);
    expect(append.mock.calls.map(([records]) => records.length)).toEqual([10, 10, 5]);
    await audit.close();
  });

  test("keeps what could not be written, up to a limit, and says what was lost", async () => {
    const { clock, audit, append, onDropped, ids } = setup({ maxWaiting: 3 });
    append.mockRejectedValueOnce(new BowlineError("DatabaseUnavailable", "gone"));
    for (const id of ["a", "b"]) audit.record(record(id));
    await clock.advance(250);
    for (const id of ["c", "d"]) audit.record(record(id));
    expect(onDropped).toHaveBeenCalledExactlyOnceWith(1);
    await clock.advance(250);
    expect(ids()).toEqual(["a", "b", "c"]);
    await audit.close();
  });

  test("says what could not be written at the end", async () => {
    const { audit, append, onDropped, error } = setup();
    append.mockRejectedValue(new BowlineError("DatabaseUnavailable", "gone"));
    for (const id of ["a", "b"]) audit.record(record(id));
    await audit.close();
    audit.record(record("late"));
    expect(onDropped.mock.calls).toEqual([[2], [1]]);
    expect(error).toHaveBeenCalledExactlyOnceWith({ lost: 2 }, expect.any(String));
  });
});
