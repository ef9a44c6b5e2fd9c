import { WorkloadInstance, type ApiObject, type Kind } from "@bowline/api";
import type { Client } from "@bowline/client";
import { describe, expect, test } from "vitest";

import { fakeContext } from "../testing/fake-context.ts";
import { sampleObject } from "../testing/sample-object.ts";
import { deleteAll, type DeleteOptions } from "./delete.ts";

const options: DeleteOptions = {
  all: false,
  cascade: false,
  dryRun: false,
  ignoreNotFound: false,
  wait: true,
  yes: false,
  recursive: false,
};

/** A server where instances have something to clean up, which is done as soon as somebody waits for it. */
function serverWithFinalizers(calls: string[]): Partial<Client> {
  const marked = (kind: Kind, name: string): ApiObject =>
    sampleObject(kind, name, {
      deletedAt: "2026-01-01T00:00:00Z",
      finalizers: ["bowline.dev/remove-resources"],
    });
  return {
    delete: async (kind, name) => {
      calls.push(`delete ${kind.singular}/${name}`);
      const outcome = kind.kind === "WorkloadInstance" ? "deleting" : "deleted";
      return { outcome, object: Object(marked(kind, name)) };
    },
    async *listAll(kind, query) {
      const name = query?.fieldSelector?.split("=")[1] ?? "";
      yield { items: [Object(marked(kind, name))], metadata: { resourceVersion: "5", total: 1 } };
    },
    async *watch(kind, query) {
      const name = query?.fieldSelector?.split("=")[1] ?? "";
      calls.push(`watch ${kind.singular}/${name}`);
      yield { type: "DELETED", object: Object(marked(kind, name)) };
    },
  };
}

describe("an object with finalizers", () => {
  test("is waited for, with a word about what it waits for, before what it refers to is deleted", async () => {
    const calls: string[] = [];
    const context = fakeContext({ client: serverWithFinalizers(calls) });
    await deleteAll(context, ["cluster/c", "wi/a", "wi/b"], options);
    expect(calls).toEqual([
      "delete workloadinstance/a",
      "delete workloadinstance/b",
      "watch workloadinstance/a",
      "watch workloadinstance/b",
      "delete cluster/c",
    ]);
    expect(context.terminal.errors).toContain(
      "Waiting for workloadinstance/a: it is being deleted, which waits for bowline.dev/remove-resources\n",
    );
    expect(context.terminal.written).toBe(
      "workloadinstance/a deleted\nworkloadinstance/b deleted\ncluster/c deleted\n",
    );
  });

  test("is not waited for when nobody wants to", async () => {
    const calls: string[] = [];
    const context = fakeContext({ client: serverWithFinalizers(calls) });
    await deleteAll(context, [WorkloadInstance.plural, "a"], { ...options, wait: false });
    expect(calls).toEqual(["delete workloadinstance/a"]);
    expect(context.terminal.written).toBe("workloadinstance/a marked as deleted\n");
  });

  test("is gone when there is another one of its name", async () => {
    const context = fakeContext({
      client: {
        ...serverWithFinalizers([]),
        async *listAll(kind) {
          const successor = sampleObject(kind, "a", { id: "01930a5e-7c00-7000-8000-ffffffffffff" });
          yield { items: [Object(successor)], metadata: { resourceVersion: "9", total: 1 } };
        },
      },
    });
    await deleteAll(context, [`${WorkloadInstance.singular}/a`], options);
    expect(context.terminal.written).toBe("workloadinstance/a deleted\n");
  });
});
