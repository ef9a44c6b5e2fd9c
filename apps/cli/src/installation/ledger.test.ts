import { expect, test } from "vitest";

import { parseState, type InstallationState } from "./installation-state.ts";
import { Ledger } from "./ledger.ts";

const begun: InstallationState = {
  version: 1,
  installation: "i-1",
  name: "local",
  target: { type: "local", data: "/data" },
  phase: "preflight",
  startedAt: "2026-01-01T00:00:00.000Z",
  steps: [],
  resources: [],
  provided: [],
  endpoints: {},
};

function recorded(write: (state: InstallationState) => Promise<void> = async () => {}) {
  const written: InstallationState[] = [];
  const ledger = new Ledger({
    state: begun,
    write: async (state) => {
      await write(state);
      written.push(state);
    },
    now: () => Date.UTC(2026, 0, 1),
  });
  return { ledger, written };
}

test("what is to be made is written before it is made, and that it was made after", async () => {
  const { ledger, written } = recorded();
  const seen: unknown[] = [];
  await ledger.make({ type: "folder", id: "/data" }, async () => {
    seen.push(written.at(-1)?.resources.map(({ state }) => state));
  });
  expect(seen).toEqual([["intended"]]);
  expect(written.at(-1)?.resources).toEqual([
    { type: "folder", id: "/data", state: "made", at: "2026-01-01T00:00:00.000Z" },
  ]);
});

test("a phase is written down before it begins", async () => {
  const { ledger, written } = recorded();
  await ledger.begin("install");
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject({ phase: "install", steps: [{ name: "install", state: "running" }] });
  await ledger.end("install", "done", "process 1");
  expect(written[1]?.steps).toEqual([
    { name: "install", state: "done", at: "2026-01-01T00:00:00.000Z", detail: "process 1" },
  ]);
});

test("many things are intended at once, and one that is known stays as it is", async () => {
  const { ledger, written } = recorded();
  await ledger.made({ type: "Secret", id: "a" }, { uid: "1" });
  await ledger.intend([
    { type: "Secret", id: "a" },
    { type: "Secret", id: "b" },
  ]);
  expect(written).toHaveLength(2);
  expect(ledger.existing().map(({ id, state }) => [id, state])).toEqual([
    ["a", "made"],
    ["b", "intended"],
  ]);
  await ledger.gone({ type: "Secret", id: "a" });
  expect(ledger.existing().map(({ id }) => id)).toEqual(["b"]);
  await ledger.intend([{ type: "Secret", id: "a" }]);
  expect(ledger.existing().map(({ id }) => id)).toEqual(["b", "a"]);
});

test("nothing is made when it cannot be written down", async () => {
  const { ledger } = recorded(() => Promise.reject(new Error("no space left")));
  let made = false;
  const making = ledger.make({ type: "folder", id: "/data" }, async () => {
    made = true;
  });
  await expect(making).rejects.toThrow("no space left");
  expect([made, ledger.state]).toEqual([false, begun]);
});

test("a state is read as it was written", async () => {
  const { ledger } = recorded();
  await ledger.begin("install");
  await ledger.made({ type: "process", id: "server.pid" }, { pid: "7" });
  await ledger.note({ endpoints: { server: "https://127.0.0.1:7443" } });
  expect(parseState(JSON.stringify(ledger.state), "local")).toEqual(ledger.state);
});

test("an upgrade is under way until the last phase is done", async () => {
  const { ledger } = recorded();
  const upgrade = { from: "0.1.0", to: "0.2.0" };
  await ledger.note({ upgrade });
  await ledger.begin("install");
  await ledger.end("install", "failed", "no image");
  expect(parseState(JSON.stringify(ledger.state), "local")?.upgrade).toEqual(upgrade);
  await ledger.begin("save");
  await ledger.end("save", "done", "");
  expect(parseState(JSON.stringify(ledger.state), "local")).not.toHaveProperty("upgrade");
});

test.each(["", "{", "[]", "{}", '{"target":{"type":"moon"}}'])("%j says nothing", (text) => {
  expect(parseState(text, "local")).toBeUndefined();
});

test.each([
  ['{"target":{"type":"local"}}', { installation: "", resources: [], steps: [], phase: "preflight" }],
  [
    '{"target":{"type":"local"},"phase":5,"resources":[{"type":"a"},{"type":"a","id":"b","state":"made"}]}',
    { resources: [{ type: "a", id: "b", state: "made", at: "" }] },
  ],
  ['{"target":{"type":"local"},"upgrade":{"from":"0.1.0"}}', { installation: "" }],
])("of %j is read what is there", (text, expected) => {
  expect(parseState(text, "local")).toMatchObject(expected);
});
