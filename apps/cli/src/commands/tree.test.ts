import { ManualClock } from "@bowline/core/testing";
import { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { fakeContext } from "../testing/fake-context.ts";
import { startObjectServer } from "../testing/object-server.ts";
import { webTree } from "../testing/sample-tree.ts";
import { renderTree } from "../workloads/render-tree.ts";
import { showTree } from "./tree.ts";

const nowMs = Date.parse("2026-01-01T00:00:05Z");

describe("tree", () => {
  test("shows clusters, their resources and what those own, with the reason of what is not well", () => {
    expect(renderTree(webTree, { nowMs, paint: (_, text) => text }).split("\n")).toEqual([
      "NAME                             HEALTH        REASON             MESSAGE",
      "workloadinstance/web                                              1 more cluster is not shown",
      "├─ east                          Degraded      ImagePullBackOff   web:9 cannot be pulled. (seen 5s ago; 1 more resource is not shown)",
      "│  ├─ Deployment shop/web        Degraded      ImagePullBackOff   web:9 cannot be pulled.",
      "│  │  ├─ ReplicaSet shop/web-2   Progressing   Scaling",
      "│  │  │  └─ Pod shop/web-2-a     Degraded      ImagePullBackOff   web:9 cannot be pulled.",
      "│  │  └─ ReplicaSet shop/web-1   Healthy",
      "│  ├─ Service shop/web           Healthy                          changed by kubectl-edit",
      "│  └─ Namespace shop             Healthy",
      "└─ west                          Unknown       NotReported        Nothing is known of it yet.",
      "",
    ]);
  });

  test("has colours for what somebody should look at, and no columns that move", () => {
    const plain = renderTree(webTree, { nowMs, paint: (_, text) => text });
    const painted = renderTree(webTree, { nowMs, paint: (style, text) => `<${style}>${text}<>` });
    expect(painted).toContain("<red>Degraded<>");
    expect(painted).toContain("<green>Healthy<>");
    expect(painted.replaceAll(/<[a-z]*>/gu, "")).toBe(plain);
  });

  test("is printed for programs as it came, and asks for one cluster", async () => {
    const asked: unknown[] = [];
    const clock = new ManualClock(nowMs);
    const context = fakeContext({
      clock,
      client: {
        tree: async (...args) => {
          asked.push(args.slice(0, 2));
          return webTree;
        },
      },
    });
    await showTree(context, "web", { output: "json", cluster: "east" });
    expect(JSON.parse(context.terminal.written)).toEqual(webTree);
    expect(asked).toEqual([["web", { cluster: "east" }]]);
  });

  test("of an instance that is not there, or is nowhere", async () => {
    await using server = await startObjectServer();
    expect(await server.bowline(["tree", "wi/nope"])).toMatchObject({
      code: 1,
      out: "",
      error: 'error: There is no WorkloadInstance "nope".\n',
    });
    expect((await server.bowline(["tree", "cluster/a"])).code).toBe(2);
    const refused = fakeContext({
      client: { tree: () => Promise.reject(new BowlineError("NotFound", "It is not placed there.")) },
    });
    await expect(showTree(refused, "web", { output: "table", cluster: "x" })).rejects.toMatchObject({
      message: "It is not placed there.",
    });
  });
});
