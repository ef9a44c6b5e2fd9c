import { Cluster, User, WorkloadInstance, type Kind } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { fakeContext } from "../testing/fake-context.ts";
import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";
import { sampleObject } from "../testing/sample-object.ts";
import { deleteAll, type DeleteOptions } from "./delete.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function createUsers(label: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    await server.client.create(User, { metadata: { name, labels: { group: label } }, spec: {} });
  }
}

async function users(label: string): Promise<string[]> {
  const { items } = await server.client.list(User, { labelSelector: `group=${label}` });
  return items.map(({ metadata }) => metadata.name);
}

describe("delete", () => {
  test("deletes by name, what refers to others first, and goes on after what is missing", async () => {
    await createUsers("named", "n1", "n2");
    const ran = await server.bowline(["delete", "user", "n1", "nope", "n2"]);
    expect(ran).toMatchObject({ code: 1, out: "user/n1 deleted\nuser/n2 deleted\n" });
    expect(ran.error).toBe('error: There is no User "nope".\n1 of 3 objects were not deleted.\n');
    expect(await server.bowline(["delete", "user/nope", "--ignore-not-found"])).toMatchObject({
      code: 0,
      out: "",
      error: "",
    });
  });

  test("says what is in the way and how to go on, and does it with --cascade", async () => {
    await server.client.create(Cluster, { metadata: { name: "used" }, spec: {} });
    const placement = { clusters: ["used"] };
    await server.client.create(WorkloadInstance, {
      metadata: { name: "user" },
      spec: { definition: "web", placement },
    });
    const refused = await server.bowline(["delete", "cluster", "used"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.error).toContain("use --cascade");
    expect(refused.error).toContain("\n  workloadinstance/user (spec.placement.clusters");
    expect((await server.bowline(["delete", "cluster", "used", "--cascade", "--dry-run"])).out).toBe(
      "workloadinstance/user deleted (dry run)\ncluster/used deleted (dry run)\n",
    );
    await server.client.get(Cluster, "used");
    expect((await server.bowline(["delete", "cluster", "used", "--cascade"])).out).toBe(
      "cluster/used deleted\n",
    );
    await expect(server.client.get(WorkloadInstance, "user")).rejects.toMatchObject({ code: "NotFound" });
  });

  test("deletes what files hold, in the reverse of the order in which it is applied", async () => {
    const stdin = [
      "kind: Cluster\nmetadata: {name: in-file}\nspec: {}\n",
      "kind: WorkloadInstance\nmetadata: {name: in-file}\nspec: {definition: web, placement: {clusters: [in-file]}}\n",
    ].join("---\n");
    await server.bowline(["apply", "-f", "-"], { stdin });
    expect(await server.bowline(["delete", "-f", "-"], { stdin })).toMatchObject({
      code: 0,
      out: "workloadinstance/in-file deleted\ncluster/in-file deleted\n",
    });
  });

  test("asks a person before it deletes by label, and takes no for an answer", async () => {
    await createUsers("asked", "a1", "a2");
    const args = ["delete", "users", "-l", "group=asked"];
    const no = await server.bowline(args, { answers: [""] });
    expect(no.terminal.questions).toEqual(["Delete user/a1, user/a2? [y/N] "]);
    expect(no).toMatchObject({ code: 1, out: "", error: "Nothing was deleted.\n" });
    expect(await users("asked")).toEqual(["a1", "a2"]);
    expect((await server.bowline(args, { answers: ["y"] })).out).toBe("user/a1 deleted\nuser/a2 deleted\n");
  });

  test("does not ask scripts, nor who has said yes", async () => {
    await createUsers("script", "s1");
    expect((await server.bowline(["delete", "users", "-l", "group=script"])).out).toBe("user/s1 deleted\n");
    await createUsers("script", "s2");
    const ran = await server.bowline(["delete", "users", "-l", "group=script", "--yes"], { answers: [] });
    expect(ran.out).toBe("user/s2 deleted\n");
    expect(await server.bowline(["delete", "wi", "--all"])).toMatchObject({
      code: 0,
      error: "No objects found.\n",
    });
  });

  test.each([
    [["users"], "by name, with -l, or --all of them"],
    [["users", "--all", "-l", "a=b"], "by name, with -l, or --all of them"],
    [["user", "a", "--all"], "one of them, not several"],
    [["user", "a", "-l", "a=b"], "leave out either the names or the selector"],
    [["user", "a", "-f", "-"], "one of them, not several"],
    [[], "Say which kind"],
  ])("refuses %j", async (args, message) => {
    const ran = await server.bowline(["delete", ...args]);
    expect(ran.code).toBe(2);
    expect(ran.error).toContain(message);
  });
});

const options: DeleteOptions = {
  all: false,
  cascade: false,
  override: false,
  dryRun: false,
  ignoreNotFound: false,
  wait: true,
  yes: false,
  recursive: false,
};

/** A server where instances have something to clean up, which is done as soon as somebody waits for it. */
function serverWithFinalizers(calls: string[]): Partial<Client> {
  const marked = <K extends Kind>(kind: K, name: string): ReadObject<K> =>
    sampleObject(kind, name, {
      deletedAt: "2026-01-01T00:00:00Z",
      finalizers: ["bowline.dev/remove-resources"],
    });
  return {
    delete: async (kind, name) => {
      calls.push(`delete ${kind.singular}/${name}`);
      const outcome = kind.kind === "WorkloadInstance" ? "deleting" : "deleted";
      return { outcome, object: marked(kind, name) };
    },
    async *listAll(kind, query) {
      const name = query?.fieldSelector?.split("=")[1] ?? "";
      yield { items: [marked(kind, name)], metadata: { resourceVersion: "5", total: 1 } };
    },
    async *watch(kind, query) {
      const name = query?.fieldSelector?.split("=")[1] ?? "";
      calls.push(`watch ${kind.singular}/${name}`);
      yield { type: "DELETED", object: marked(kind, name) };
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
      "Waiting for workloadinstance/a: it is being deleted; its objects are being removed from the cluster\n",
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
          yield { items: [successor], metadata: { resourceVersion: "9", total: 1 } };
        },
      },
    });
    await deleteAll(context, [`${WorkloadInstance.singular}/a`], options);
    expect(context.terminal.written).toBe("workloadinstance/a deleted\n");
  });
});
