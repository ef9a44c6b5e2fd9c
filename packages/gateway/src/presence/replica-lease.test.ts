import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ManualClock } from "@bowline/core/testing";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { openTestGateway, type GatewayHarness } from "../testing/gateway-harness.ts";
import type { TestSession } from "../testing/test-agent.ts";

interface LoneServer {
  readonly file: string;
  readonly clock: ManualClock;
  readonly store: Store;
  readonly harness: GatewayHarness;
  readonly session: TestSession;
  /** Lets time pass, in which the agent answers. */
  readonly pass: (seconds: number) => Promise<void>;
}

/** A gateway that has its database for itself, with the agent of `edge` connected. */
async function loneServer(): Promise<LoneServer> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-lone-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "bowline.db");
  const clock = new ManualClock(Date.now());
  const store = await openTestStore({ type: "sqlite", file }, { clock, pollMs: 100 });
  const harness = await openTestGateway({ clock, store });
  const session = await (await harness.joinedAgent("edge")).open({ nowMs: clock.now() });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1_000);
      await session.beat();
    }
  };
  await expect
    .poll(async () => {
      await pass(1);
      return (await harness.cluster("edge")).status.agent?.rttMs;
    })
    .toBeTypeOf("number");
  return { file, clock, store, harness, session, pass };
}

/** The next server on the database of one that is gone, after so long. */
async function openNext({ file, clock, store }: LoneServer, afterMs: number): Promise<GatewayHarness> {
  await store.close();
  await clock.advance(afterMs);
  return openTestGateway({ clock, store: await openTestStore({ type: "sqlite", file }, { clock }) });
}

describe("a server that has its database for itself", () => {
  test("writes nothing while its agents stay connected", async () => {
    const { file, pass } = await loneServer();
    await pass(60);
    const observer = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => observer.close());
    const version = () => observer.prepare("pragma data_version").get();
    const before = version();
    await pass(180);
    expect(version()).toEqual(before);
  });

  test("leaves to the next one when it was last there, and so when its agents were last seen", async () => {
    const server = await loneServer();
    await server.pass(60);
    const lastMs = server.clock.now();
    server.session.http2.destroy();
    await server.harness.gateway.close(0, AbortSignal.abort());
    const next = await openNext(server, 3_600_000);
    await expect
      .poll(async () => {
        await server.clock.advance(1_000);
        return next.agentReason("edge");
      })
      .toBe("Disconnected");
    const { lastSeenAt = "" } = (await next.cluster("edge")).status.agent ?? {};
    expect(Math.abs(Date.parse(lastSeenAt) - lastMs)).toBeLessThanOrEqual(20_000);
  });

  test("leaves its agents the time to come back to the next one", async () => {
    const server = await loneServer();
    await server.pass(10);
    server.session.http2.destroy();
    await server.harness.gateway.close(0, AbortSignal.abort());
    const next = await openNext(server, 2_000);
    await server.clock.advance(5_000);
    expect(await next.agentReason("edge")).toBe("Connected");
    const { id } = (await next.cluster("edge")).metadata;
    expect(await next.store.agents.sessions.connectedSince(id)).toBeDefined();
  });
});
