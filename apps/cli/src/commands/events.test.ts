import { Cluster } from "@bowline/api";
import { afterAll, beforeAll, expect, test } from "vitest";

import { FakeTerminal } from "../testing/fake-terminal.ts";
import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Nothing can make such a cluster, which its controller tells as an event. */
async function createHopeless(name: string): Promise<void> {
  await server.client.create(Cluster, { metadata: { name }, spec: { provider: "kind" } });
}

test("events are followed as they happen, and shown later, here and in describe", async () => {
  const terminal = new FakeTerminal();
  const interrupt = new AbortController();
  await createHopeless("first");
  const ran = server.bowline(["events", "clusters", "--type", "Warning", "--watch"], {
    terminal,
    signal: interrupt.signal,
  });
  await terminal.wrote("cluster/first");
  await createHopeless("second");
  await terminal.wrote("cluster/second");
  interrupt.abort();
  expect((await ran).code).toBe(130);

  const { out } = await server.bowline(["events", "cluster", "second", "-o", "json"]);
  expect(JSON.parse(out)).toMatchObject({
    items: [{ type: "Warning", reason: "ProviderUnavailable", count: 1, regarding: { name: "second" } }],
  });
  const described = await server.bowline(["describe", "cluster", "second"]);
  expect(described.out).toMatch(
    /Events:\n {2}LAST-SEEN.*\n {2}\d+s +1 +Warning +ProviderUnavailable +Provider "kind"/,
  );
});

test("there are none where nothing happened", async () => {
  expect(await server.bowline(["events", "users"])).toMatchObject({
    code: 0,
    out: "",
    error: "No events found.\n",
  });
});
