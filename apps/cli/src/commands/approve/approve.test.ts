import { WorkloadDefinition, WorkloadInstance, type ApiObject } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { parseManifests, revisionOf } from "@bowline/manifests";
import { describe, expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { LiveObjects } from "../../testing/live-objects.ts";
import { startObjectServer } from "../../testing/object-server.ts";
import {
  condition,
  revisionOne,
  revisionTwo,
  webDefinition,
  webInstance,
  webPlacement,
} from "../../testing/sample-rollout.ts";
import { approve } from "./approve.ts";

const prune = condition("Applied", "False", {
  reason: "PruneHeld",
  message: "It would delete 2 of 3 objects.",
});
const secret = { group: "", version: "v1", kind: "Secret", namespace: "shop", health: "Unknown" } as const;

function held(...objects: readonly ApiObject[]): LiveObjects {
  const live = new LiveObjects();
  live.set(webDefinition(revisionTwo, { observedGeneration: 1 }));
  live.set(webInstance({ conditions: [condition("Ready", "False", { reason: "PruneHeld", message: "…" })] }));
  for (const object of objects) live.set(object);
  return live;
}

interface Patched {
  readonly patch: object;
  readonly ifMatch: string | undefined;
}

/** Takes every patch, after as many refusals because of a status that was written in between. */
function contextOf(live: LiveObjects, refusals: readonly (() => void)[] = []) {
  const patches: Patched[] = [];
  const context = fakeContext({
    client: {
      ...live.client,
      patch: async (kind, name, patch, options) => {
        patches.push({ patch, ifMatch: options?.ifMatch });
        const refusal = refusals[patches.length - 1];
        refusal?.();
        if (refusal !== undefined) throw new BowlineError("PreconditionFailed", "It has changed.");
        return live.client.get(kind, name);
      },
    },
  });
  return { context, patches, terminal: context.terminal };
}

describe("approve", () => {
  test("shows what would be deleted in each cluster, and agrees to the current revision alone", async () => {
    const resources = ["b", "a"].map((name) => ({ ...secret, name, state: "held" as const }));
    const { context, patches, terminal } = contextOf(
      held(
        webPlacement("west", { conditions: [prune], resources: [] }),
        webPlacement("east", {
          conditions: [prune],
          resources: [...resources, { ...secret, name: "stays", state: "applied" }],
        }),
        webPlacement("north", { conditions: [condition("Applied", "True")] }),
      ),
    );
    await approve(context, "web", { dryRun: false });
    expect(terminal.written).toBe(
      [
        "PruneHeld in east: It would delete 2 of 3 objects.",
        "  Secret shop/b",
        "  Secret shop/a",
        "PruneHeld in west: It would delete 2 of 3 objects.",
        "workloadinstance/web approved",
        "",
      ].join("\n"),
    );
    expect(terminal.errors).toContain(
      "The resources above are deleted now.\nRevision 222222222222 is applied",
    );
    expect(patches).toEqual([{ patch: { spec: { approved: { revision: revisionTwo } } }, ifMatch: "1" }]);
  });

  test("writes nothing on a dry run, where nothing is held, and where it is approved already", async () => {
    const dry = contextOf(held(webPlacement("west", { conditions: [prune] })));
    await approve(dry.context, "web", { dryRun: true });
    expect(dry.terminal.written).toContain("PruneHeld in west");
    expect(dry.terminal.written).toContain("workloadinstance/web approved (dry run)\n");
    const none = contextOf(held());
    await approve(none.context, "web", { dryRun: false });
    expect(none.terminal.written).toBe("");
    expect(none.terminal.errors).toBe(
      "Nothing waits for approval; see how it does: bowline describe wi/web\n",
    );
    const again = contextOf(held(webInstance({}, { approved: { revision: revisionTwo } })));
    await approve(again.context, "web", { dryRun: false });
    expect(again.terminal.errors).toContain("Revision 222222222222 is approved already");
    expect([...dry.patches, ...none.patches, ...again.patches]).toEqual([]);
  });

  test("agrees on top of a status that was written meanwhile, and not on top of another spec", async () => {
    const live = held(webPlacement("west", { conditions: [prune] }));
    const { context, patches } = contextOf(live, [() => undefined]);
    await approve(context, "web", { dryRun: false });
    expect(patches).toHaveLength(2);
    const instance = webInstance({});
    const changed = contextOf(live, [
      () => live.set({ ...instance, metadata: { ...instance.metadata, generation: 2 } }),
    ]);
    await expect(approve(changed.context, "web", { dryRun: false })).rejects.toMatchObject({
      code: "Conflict",
      message: "Somebody changed workloadinstance/web meanwhile, and nothing was changed; look at it again.",
    });
    expect(changed.patches).toHaveLength(1);
  });

  test.each([
    ["2222222", "InvalidArgument", "at least 8 characters"],
    [revisionOne, "Conflict", "The current revision is 222222222222, not 111111111111"],
  ])("refuses the revision %s", async (revision, code, message) => {
    const { context, patches } = contextOf(held(webPlacement("west", { conditions: [prune] })));
    const refused = approve(context, "web", { dryRun: false, revision });
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(patches).toEqual([]);
  });

  test("can agree before anything is held, to a revision that was named", async () => {
    const { context, patches } = contextOf(held());
    await approve(context, "web", { dryRun: false, revision: "22222222" });
    expect(patches).toHaveLength(1);
  });

  test("agrees to the revision that it stays at, where it has gone back", async () => {
    const live = held();
    const ready = condition("Ready", "False", { reason: "WaitingForApproval", message: "Wave 2." });
    const far = { change: revisionOne, wave: 2, waveCount: 3, underWay: [], failed: [] };
    const instance = webInstance({
      conditions: [ready],
      rollout: { ...far, revision: revisionOne, phase: "WaitingForApproval" },
    });
    const revision = { pin: revisionOne, rejected: [revisionTwo] };
    live.set({ ...instance, spec: { ...instance.spec, revision } });
    const { context, patches } = contextOf(live);
    await approve(context, "web", { dryRun: false });
    expect(patches[0]?.patch).toEqual({ spec: { approved: { revision: revisionOne, wave: 2 } } });
  });

  test("waits for nobody: a definition without a revision is told", async () => {
    const { context } = contextOf(held(webDefinition(revisionOne, {}, 2)));
    await expect(approve(context, "web", { dryRun: false })).rejects.toMatchObject({ code: "Conflict" });
  });

  test("writes to a server what it takes", async () => {
    await using server = await startObjectServer();
    const manifests = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
    const { id: revision } = revisionOf({ objects: parseManifests(manifests).objects, parameters: [] });
    await server.client.create(WorkloadDefinition, {
      metadata: { name: "web" },
      spec: { source: { inline: { manifests } } },
    });
    // The same that its controller finds out, whoever of the two comes first.
    const { status } = webDefinition(revision, { observedGeneration: 1 });
    await server.client.putStatus(WorkloadDefinition, "web", status);
    await server.client.create(WorkloadInstance, {
      metadata: { name: "web" },
      spec: { definition: "web", placement: { clusters: ["a"] } },
    });
    const ran = await server.bowline(["approve", "web", "--revision", revision]);
    expect(ran).toMatchObject({ code: 0, out: "workloadinstance/web approved\n" });
    expect(ran.error).toContain("in the name of admin, by the grants of that user.");
    const { spec } = await server.client.get(WorkloadInstance, "web");
    expect(spec.approved).toEqual({ revision });
    const wrong = await server.bowline(["approve", "cluster/a"]);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.error).toContain("is no workload instance");
  });
});
