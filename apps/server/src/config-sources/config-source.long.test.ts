import { AccessGrant, Cluster, ConfigSource, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { beforeEach, describe, expect, test } from "vitest";

import { applied, clusterText, ConfigHarness } from "./testing/config-harness.ts";

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await ConfigHarness.open();
});

const clusters = (): Promise<string[]> => harness.store.objects.listNames(Cluster);

const grant = `apiVersion: bowline.dev/v1
kind: AccessGrant
metadata: {name: ops}
spec:
  subjects: [{group: ops}]
  clusters: {names: [prod]}
  kubernetes: {groups: [admins]}
`;
const definition = `apiVersion: bowline.dev/v1
kind: WorkloadDefinition
metadata: {name: web}
spec:
  source:
    inline:
      manifests: |
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: web}
`;
const instance = (name: string, more = ""): string => `apiVersion: bowline.dev/v1
kind: WorkloadInstance
metadata: {name: ${name}}
spec: {definition: web, placement: {clusters: [prod]}${more}}
`;

describe("a commit", () => {
  test("is applied as a whole: all four kinds, as the user, with the mark and the record", async () => {
    const text = [instance("web"), definition, grant, clusterText("prod")].join("---\n");
    const commit = await harness.sources.repository.commit({ files: { "fleet/all.yaml": text } });
    await harness.define({
      git: {
        url: harness.sources.server.url(),
        ref: "main",
        path: "fleet",
        interval: "1m",
        credential: "git",
      },
    });
    await harness.start();
    await harness.until(applied);
    const { status } = await harness.source();
    expect(status).toMatchObject({ applied: { commit, objects: 4 }, source: { commit } });
    const { objects, audit } = harness.store;
    const [cluster, access, web] = await Promise.all([
      objects.get(Cluster, "prod"),
      objects.get(AccessGrant, "ops"),
      objects.get(WorkloadInstance, "web"),
    ]);
    const repository = harness.sources.server.url();
    const mark = { configSource: "fleet", repository, file: "all.yaml", commit };
    expect([cluster, access, web].map((object) => object?.metadata.managedBy)).toEqual([mark, mark, mark]);
    expect(web?.status.author).toMatchObject({ user: "root", role: "admin" });
    expect(await objects.get(WorkloadDefinition, "web")).toMatchObject({
      status: { author: { user: "root" } },
    });
    const { items } = await audit.list({ kind: "Cluster" });
    expect(items).toMatchObject([
      { actor: { user: "root" }, verb: "create", name: "prod", outcome: "allowed" },
    ]);
    expect(items[0]?.message).toContain(commit);
  });

  test("changes what differs and nothing else, and deletes what is gone", async () => {
    await harness.sources.repository.commit({
      files: {
        "a.yaml": clusterText("a"),
        "b.json": JSON.stringify({
          apiVersion: "bowline.dev/v1",
          kind: "Cluster",
          metadata: { name: "b" },
          spec: {},
        }),
        "c.yml": clusterText("c"),
      },
    });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    const before = await harness.store.objects.get(Cluster, "b");
    const second = await harness.push({
      "a.yaml": clusterText("a", "eu-2"),
      "c.yml": null,
      "d.yaml": clusterText("d"),
    });
    expect(await clusters()).toEqual(["a", "b", "d"]);
    expect(await harness.store.objects.get(Cluster, "b")).toEqual(before);
    expect(await harness.store.objects.get(Cluster, "a")).toMatchObject({
      spec: { region: "eu-2" },
      metadata: { generation: 2, managedBy: { commit: second } },
    });
    const head = await harness.store.changes.head();
    await harness.sources.untilPolled(10);
    expect(await harness.store.changes.head()).toBe(head);
  });

  test("with two bad files changes nothing, and both are told with file, line and field", async () => {
    const good = await harness.sources.repository.commit({ files: { "a.yaml": clusterText("a") } });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    await harness.push(
      {
        "a.yaml": clusterText("a", "eu-2"),
        "new.yaml": clusterText("new"),
        "x.yaml": `# first\n---\n${clusterText("x", "7")}`,
        "y.yaml": clusterText("yy").replace("region", "regoin"),
        "z.yaml": "kind: Cluster\nmetadata: {name: z\n",
      },
      "Ready True Applied, UpToDate False InvalidObjects",
    );
    expect(await harness.message()).toContain("z.yaml: document 1, line 3: this is not YAML");
    const second = await harness.push(
      {
        "z.yaml": null,
        "u.yaml": "apiVersion: bowline.dev/v1\nkind: User\nmetadata: {name: eve}\nspec: {role: admin}\n",
      },
      "Ready True Applied, UpToDate False InvalidObjects",
    );
    const message = await harness.message();
    expect(message).toContain("x.yaml: document 1, line 6: Cluster x: spec.region: must be");
    expect(message).toContain("y.yaml: document 1, line 4: Cluster yy: spec.regoin:");
    expect(message).toContain("u.yaml: document 1, line 1: User eve: this is not taken from git");
    expect(message).toContain(`The objects stay as they are (commit ${good}).`);
    expect(await clusters()).toEqual(["a"]);
    expect(await harness.store.objects.get(Cluster, "a")).toMatchObject({ spec: { region: "eu-1" } });
    expect((await harness.source()).status).toMatchObject({
      applied: { commit: good },
      source: { commit: second },
    });
    expect(await harness.sources.events()).toContain("InvalidObjects");
  });

  test("is refused for what depends on itself, is there twice, or cannot change", async () => {
    await harness.sources.repository.commit({
      files: {
        "web.yaml": [
          instance("web", ", dependsOn: [{instance: db}]"),
          instance("db", ", dependsOn: [{instance: web}]"),
        ].join("---\n"),
      },
    });
    await harness.define();
    await harness.start();
    await harness.until("Ready False InvalidObjects, UpToDate False InvalidObjects");
    expect(await harness.message()).toContain(
      "spec.dependsOn: must not lead back to the instance itself: web → db → web",
    );
    await harness.push(
      { "web.yaml": null, "a.yaml": clusterText("a"), "b.yaml": clusterText("a") },
      "Ready False InvalidObjects, UpToDate False InvalidObjects",
    );
    expect(await harness.message()).toContain(
      "b.yaml: document 1, line 1: Cluster a: the same object is in a.yaml, line 1, already",
    );
    await harness.push({ "b.yaml": null });
    await harness.push(
      { "a.yaml": clusterText("a").replace("{region", "{provider: kind, region") },
      "Ready True Applied, UpToDate False InvalidObjects",
    );
    expect(await harness.message()).toContain(
      "a.yaml: document 1, line 4: Cluster a: spec.provider: cannot be changed once the object exists",
    );
  });

  test("that somebody's instance still needs is not applied in part", async () => {
    await harness.sources.repository.commit({
      files: { "a.yaml": clusterText("a"), "b.yaml": clusterText("b") },
    });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    const metadata = { name: "by-hand", labels: {}, annotations: {} };
    const spec = { subjects: [{ user: "ada" }], clusters: { names: ["a"] }, kubernetes: { groups: [] } };
    await harness.store.objects.create(AccessGrant, { metadata, spec });
    await harness.push(
      { "a.yaml": null, "b.yaml": clusterText("b", "eu-9") },
      "Ready True Applied, UpToDate False StillReferenced",
    );
    expect(await harness.message()).toContain(
      "Cluster a: it is not in the repository any more, and AccessGrant by-hand still names it",
    );
    expect(await harness.store.objects.get(Cluster, "b")).toMatchObject({ spec: { region: "eu-1" } });
  });

  test("that takes a definition away with its instances deletes them together", async () => {
    await harness.sources.repository.commit({
      files: { "a.yaml": [clusterText("prod"), definition, instance("web"), grant].join("---\n") },
    });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    await harness.store.objects.writeFinalizers(WorkloadInstance, "web", () => ["bowline.dev/test"]);
    await harness.push({ "a.yaml": grant.replace("{names: [prod]}", "{selector: {matchLabels: {a: b}}}") });
    const web = await harness.store.objects.get(WorkloadInstance, "web");
    expect(web?.metadata.deletedAt).toBeDefined();
    expect(web?.status.deletedBy?.user).toBe("root");
    await harness.store.objects.writeFinalizers(WorkloadInstance, "web", () => []);
    expect(await harness.store.objects.listNames(WorkloadDefinition)).toEqual([]);
  });
});

describe("the user of a source", () => {
  test("may write what they may by the API, and a commit with more is refused whole", async () => {
    await harness.sources.repository.commit({ files: { "a.yaml": clusterText("a"), "b.yaml": grant } });
    await harness.define({ actsAs: "ada" });
    await harness.start();
    await harness.until("Ready False NotAllowed, UpToDate False NotAllowed");
    expect(await harness.message()).toContain(
      'b.yaml: document 1, line 1: AccessGrant ops: the user "ada" with the role editor may not create it',
    );
    expect(await clusters()).toEqual([]);
    // Who may more now is heard of.
    await harness.user("ada", "admin");
    await harness.until(applied);
    expect(await clusters()).toEqual(["a"]);
  });

  test("never has more than whoever wrote the source, and must be there", async () => {
    await harness.sources.repository.commit({ files: { "b.yaml": grant } });
    const author = { user: "root", method: "token", groups: [], role: "editor" } as const;
    await harness.define({}, { author: { ...author, groups: [] } });
    await harness.start();
    await harness.until("Ready False NotAllowed, UpToDate False NotAllowed");
    expect(await harness.message()).toContain('"root" with the role editor');
    await harness.define({ actsAs: "nobody" });
    await harness.sources.poll(() => harness.message()).toContain('There is no user "nobody"');
    await harness.user("ada", "admin", true);
    await harness.define({ actsAs: "ada" });
    await harness.sources.poll(() => harness.message()).toContain('The user "ada" is disabled');
  });
});

describe("an object that is there already", () => {
  test("is taken over only when its file says so, and by one source only", async () => {
    const metadata = { name: "a", labels: {}, annotations: {} };
    await harness.store.objects.create(Cluster, { metadata, spec: { provider: "existing" } });
    await harness.sources.repository.commit({
      files: { "a.yaml": clusterText("a"), "b.yaml": clusterText("b") },
    });
    await harness.define();
    await harness.start();
    await harness.until("Ready False OwnedByOther, UpToDate False OwnedByOther");
    expect(await harness.message()).toContain(
      'Cluster a: it is there already and nobody\'s; annotate it in the file with bowline.dev/adopt: "true"',
    );
    expect(await clusters()).toEqual(["a"]);
    const adopting = clusterText("a", "eu-1", ', annotations: {bowline.dev/adopt: "true"}');
    await harness.push({ "a.yaml": adopting });
    expect(await harness.store.objects.get(Cluster, "a")).toMatchObject({
      metadata: { managedBy: { configSource: "fleet" } },
    });
    await harness.define({}, { name: "other" });
    await harness.until("Ready False OwnedByOther, UpToDate False OwnedByOther", "other");
    expect(await harness.message("other")).toContain("Cluster a: it belongs to configsource/fleet");
  });
});

test("a source that is paused is ready with the objects that it has, unless it is to have others", async () => {
  await harness.define();
  await harness.start();
  await harness.push({ "all.yaml": clusterText("prod") });
  await harness.define({ paused: { reason: "a freeze" } });
  await harness.until("Ready True Applied, UpToDate False Suspended");
  await harness.define({ paused: { reason: "a freeze" }, kinds: ["Cluster"] });
  await harness.until("Ready False Suspended, UpToDate False Suspended");
  expect(await clusters()).toEqual(["prod"]);
});

describe("deleting", () => {
  test("a source leaves its objects to everybody", async () => {
    await harness.sources.repository.commit({ files: { "a.yaml": clusterText("a") } });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    await harness.store.objects.delete(ConfigSource, "fleet");
    await harness.sources.poll(() => harness.store.objects.listNames(ConfigSource)).toEqual([]);
    const left = await harness.store.objects.get(Cluster, "a");
    expect(left?.metadata.managedBy).toBeUndefined();
    expect(left?.metadata.generation).toBe(1);
  });
});
