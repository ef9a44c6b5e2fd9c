import { ConfigSource, type ApiObject } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { LiveObjects } from "../../testing/live-objects.ts";
import { approveSource, configSourceName } from "./approve-source.ts";

const commit = "4f1d2a9c".repeat(5);

function source(status: object): ApiObject {
  return {
    apiVersion: "bowline.dev/v1",
    kind: ConfigSource.kind,
    metadata: {
      id: "01980000-0000-7000-8000-000000000000",
      name: "fleet",
      labels: {},
      annotations: {},
      generation: 1,
      resourceVersion: "7",
      createdAt: "2026-01-01T00:00:00Z",
      updatedAt: "2026-01-01T00:00:00Z",
    },
    spec: { git: { url: "https://git.example.com/fleet.git" }, actsAs: "ada" },
    status: { conditions: [], ...status },
  };
}

function contextOf(status: object) {
  const live = new LiveObjects();
  live.set(source(status));
  const patches: unknown[] = [];
  const context = fakeContext({
    client: {
      ...live.client,
      patch: async (kind, name, patch, options) => {
        patches.push([kind.kind, name, patch, options?.ifMatch]);
        return live.client.get(kind, name);
      },
    },
  });
  return { context, patches, terminal: context.terminal };
}

const held = {
  commit,
  deletions: 3,
  total: 4,
  objects: [
    { kind: "Cluster", name: "a" },
    { kind: "Cluster", name: "b" },
  ],
};

describe("approve cs/NAME", () => {
  test("shows what would be deleted, and agrees to that commit", async () => {
    const { context, patches, terminal } = contextOf({ held });
    await approveSource(context, "fleet", { dryRun: false });
    expect(terminal.written).toBe(
      "PruneHeld: 3 of 4 objects are not in commit 4f1d2a9c4f1d.\n  Cluster a\n  Cluster b\n  … and 1 more\nconfigsource/fleet approved\n",
    );
    expect(patches).toEqual([["ConfigSource", "fleet", { spec: { approved: { commit } } }, "7"]]);
  });

  test("writes nothing on a dry run, where nothing is held, and for another commit", async () => {
    const dry = contextOf({ held });
    await approveSource(dry.context, "fleet", { dryRun: true });
    expect(dry.terminal.written).toContain("configsource/fleet approved (dry run)\n");
    const none = contextOf({});
    await approveSource(none.context, "fleet", { dryRun: false });
    expect(none.terminal.errors).toContain("Nothing waits for approval");
    const other = contextOf({ held });
    const refused = approveSource(other.context, "fleet", { dryRun: false, revision: "aaaaaaaa" });
    await expect(refused).rejects.toMatchObject({ code: "Conflict" });
    expect([...dry.patches, ...none.patches, ...other.patches]).toEqual([]);
  });

  test.each([
    ["cs/fleet", "fleet"],
    ["configsource/fleet", "fleet"],
    ["wi/web", undefined],
    ["web", undefined],
    ["cs/", undefined],
  ])("reads %s", (argument, name) => {
    expect(configSourceName(argument)).toBe(name);
  });
});
