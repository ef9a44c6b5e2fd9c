import { createValidator, WorkloadDiff, WorkloadInstance } from "@bowline/api";
import { createLogger, systemClock } from "@bowline/core";
import { parseManifests, revisionOf } from "@bowline/manifests";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { createHttpApi } from "../api/http-api.ts";
import type { SourceResolver } from "../sources/resolve-source.ts";
import { TestAccess } from "../api/testing/test-access.ts";
import { WorkloadHarness, type TestCluster } from "../workloads/testing/workload-harness.ts";
import { diffRoutes } from "./diff-routes.ts";

const admin = { kubernetes: { user: "admin", groups: ["system:masters"] } };
const config = (name: string, value = "1"): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: "${value}"}}\n---\n`;
const secret = (value: string): string =>
  `{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {password: ${value}}}\n---\n`;

let harness: WorkloadHarness;
let east: TestCluster;
let url: string;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  east = await harness.addCluster("east");
  const { store, clients } = harness;
  const logger = createLogger({ name: "test", level: "fatal", destination: { write: () => {} } });
  const access = new TestAccess();
  const sources: Pick<SourceResolver, "preview"> = {
    preview: async (_, ref) => {
      const { objects } = parseManifests(config("one", ref));
      return { commit: "c".repeat(40), ...revisionOf({ objects, parameters: [] }) };
    },
  };
  const plugins = [diffRoutes({ store, clients, access, sources, clock: systemClock })];
  const app = await createHttpApi({ store, access, logger, plugins });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
});

async function ask(body: object, { name = "web", user = "editor" } = {}) {
  const response = await fetch(`${url}/api/v1/workloadinstances/${name}/diff`, {
    method: "POST",
    headers: { authorization: `Bearer ${user}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const validate = createValidator(WorkloadDiff);

async function diff(body: object, options: { name?: string; user?: string } = {}): Promise<WorkloadDiff> {
  const { status, text } = await ask(body, options);
  const answer = validate(JSON.parse(text));
  if (status !== 200 || !answer.ok) throw new Error(text);
  return answer.value;
}

const changes = ({ objects }: WorkloadDiff): string[] =>
  objects.map(({ name, change, reason }) => [name, change, reason].join(" ").trim());

async function applied(): Promise<void> {
  await expect.poll(() => harness.condition("east"), { timeout: 15_000 }).toBe("True Applied");
}

const instance = (clusters: string[], spec: object = {}) => ({
  spec: { definition: "shop", placement: { clusters }, ...spec },
});
const definition = (manifests: string) => ({ spec: { source: { inline: { manifests } } } });

describe("another ref of its repository", () => {
  const git = { source: { git: { url: "https://git.example.com/a.git" } } };

  test("is compared with the cluster, for those who may change definitions", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const told = await diff({ cluster: "east", definition: { spec: git }, ref: "next" });
    expect(told).toMatchObject({ commit: "c".repeat(40), objectCount: 1 });
    expect(told.objects[0]).toMatchObject({ change: "changed", after: { data: { a: "next" } } });
    expect(
      (await ask({ cluster: "east", definition: { spec: git }, ref: "next" }, { user: "viewer" })).status,
    ).toBe(403);
  });

  test("is nothing that a definition without one has", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const { status, text } = await ask({ cluster: "east", ref: "next" });
    expect(status).toBe(422);
    expect(text).toContain("is only for definitions from git");
  });
});

describe("what would become of a workload", () => {
  test("is told of what there is, and of what would be written, without writing anything", async () => {
    await harness.define(config("one") + config("two") + secret("canary-old"));
    await harness.place(["east"]);
    await applied();
    expect(await diff({ cluster: "east" })).toMatchObject({ unchangedCount: 3, objectCount: 0, objects: [] });
    await harness.stop();
    const head = await harness.store.changes.head();
    const { revision } = east.sim;
    const next = config("one", "2") + config("three") + secret("canary-new");
    const answer = await ask({ cluster: "east", definition: definition(next) });
    expect(answer.text).not.toMatch(/canary|Y2FuYXJ5/u);
    const told = await diff({ cluster: "east", definition: definition(next) });
    expect(changes(told)).toEqual(["one changed", "three created", "two deleted", "key changed"]);
    expect(told.objects[0]).toMatchObject({ before: { data: { a: "1" } }, after: { data: { a: "2" } } });
    expect(told.objects[3]).toMatchObject({
      before: { data: { password: "*** (before)" } },
      after: { data: { password: "*** (after)" } },
    });
    expect([await harness.store.changes.head(), east.sim.revision]).toEqual([head, revision]);
  });

  test("is told before there is an instance", async () => {
    const body = { cluster: "east", definition: definition(config("one")), instance: instance(["east"]) };
    expect(changes(await diff(body, { name: "new" }))).toEqual(["one created"]);
    expect(await harness.store.objects.get(WorkloadInstance, "new")).toBeUndefined();
  });

  test.each([
    ["delete", "one deleted"],
    ["retain", "one kept Retained"],
  ] as const)("in a cluster that it would leave, with the policy %s", async (deletionPolicy, expected) => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const told = await diff({ cluster: "east", instance: instance(["west"], { deletionPolicy }) });
    expect(told).not.toHaveProperty("revision");
    expect(changes(told)).toEqual([expected]);
  });

  test("says what would wait for an approval, and what is somebody else's", async () => {
    await harness.define(Array.from({ length: 12 }, (_, n) => config(`n${n}`)).join(""));
    await harness.place(["east"]);
    await applied();
    const told = await diff({ cluster: "east", definition: definition(config("n0")) });
    expect(told).toMatchObject({ held: { count: 11, total: 12, limit: 10 }, objectCount: 11 });
    const other = { cluster: "east", definition: definition(config("n0")), instance: instance(["east"]) };
    expect(changes(await diff(other, { name: "other" }))).toEqual(["n0 refused OwnedByOther"]);
  });

  test("names objects that are too large together without their contents", async () => {
    // Parameters make a small manifest large: 800 KB of data in each object.
    const values = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, "x".repeat(4_096)]));
    const data = Object.keys(values).map((name) => `${name}: "\${{ ${name} }}\${{ ${name} }}"`);
    const manifests = Array.from({ length: 12 }, (_, n) => config(`n${10 + n}`))
      .join("")
      .replaceAll('a: "1"', data.join(", "));
    const parameters = Object.keys(values).map((name) => ({ name }));
    const told = await diff(
      {
        cluster: "east",
        definition: { spec: { source: { inline: { manifests } }, parameters } },
        instance: instance(["east"], { parameters: values }),
      },
      { name: "large" },
    );
    expect(told.objectCount).toBe(12);
    const shown = told.objects.filter(({ after }) => after !== undefined);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(12);
    expect(told.objects.at(-1)?.message).toContain("too large");
  });
});

describe("in whose name", () => {
  beforeEach(async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
  });

  test("whoever asks needs a grant of their own, whoever the instance acts for", async () => {
    for (const user of ["viewer", "operator"]) {
      const refused = await ask({ cluster: "east" }, { user });
      expect(refused.status).toBe(403);
      expect(JSON.parse(refused.text).error).toMatchObject({
        code: "NotGranted",
        message: expect.stringContaining(`No AccessGrant lets ${user} reach the cluster east`),
      });
    }
    await harness.grant("viewer", admin);
    await expect.poll(async () => (await ask({ cluster: "east" }, { user: "viewer" })).status).toBe(200);
    await expect
      .poll(async () => (await harness.store.audit.list({ user: "viewer", verb: "proxy" })).items[0])
      .toMatchObject({ actor: { user: "viewer", address: "127.0.0.1" }, outcome: "allowed" });
  });

  test("a grant for one namespace shows nothing of the others", async () => {
    await harness.grant("viewer", { ...admin, namespaces: ["shop"] });
    await expect
      .poll(async () => changes(await diff({ cluster: "east" }, { user: "viewer" })))
      .toEqual(["one refused NotGranted"]);
  });
});

describe("is refused", () => {
  beforeEach(async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
  });

  test("where the agent is away", async () => {
    await harness.disconnect("east");
    const { status, text } = await ask({ cluster: "east" });
    expect([status, JSON.parse(text).error.code]).toEqual([503, "AgentOffline"]);
  });

  test.each([
    [{ cluster: "nowhere" }, 404, 'Cluster "nowhere"'],
    [{}, 422, "cluster is required"],
    [{ cluster: "east", definition: definition("a: [") }, 422, "definition.spec.source.inline"],
    [{ cluster: "east", instance: { spec: {} } }, 422, "instance.spec.definition is required"],
    [
      {
        cluster: "east",
        definition: {
          spec: {
            source: { inline: { manifests: config("one", "${{ a }}") } },
            parameters: [{ name: "a", required: true }],
          },
        },
      },
      422,
      "spec.parameters",
    ],
  ])("%j", async (body, status, message) => {
    const answer = await ask(body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message.replaceAll('"', String.raw`\"`));
  });

  test("without an instance of that name", async () => {
    expect(await ask({ cluster: "east" }, { name: "nobody" })).toMatchObject({ status: 404 });
  });
});
