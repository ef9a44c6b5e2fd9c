import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Cluster, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../../testing/object-server.ts";
import { nameFromPath } from "./read-workload.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
  for (const name of ["east", "west"]) {
    await server.client.create(Cluster, { metadata: { name, labels: { env: "prod" } }, spec: {} });
  }
});
afterAll(() => server[Symbol.asyncDispose]());

const configMap = (name: string, value = "1"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`;

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const temp = await createTempFolder("deploy");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(temp.path, name, ".."), { recursive: true });
    await writeFile(join(temp.path, name), text);
  }
  return temp.path;
}

describe("deploy", () => {
  test("makes a definition and an instance named after the file, changes them, and leaves them alone", async () => {
    const folder = await folderOf({ "Front End.yaml": configMap("a") });
    const file = join(folder, "Front End.yaml");
    const first = await server.bowline(["deploy", file, "--cluster", "east,west", "-n", "shop"]);
    expect(first).toMatchObject({
      code: 0,
      out: "workloaddefinition/front-end created\nworkloadinstance/front-end created\n",
      error: "",
    });
    const instance = await server.client.get(WorkloadInstance, "front-end");
    expect(instance.spec).toMatchObject({
      definition: "front-end",
      placement: { clusters: ["east", "west"] },
      namespace: "shop",
    });
    const again = await server.bowline(["deploy", file]);
    expect(again).toMatchObject({
      code: 0,
      out: "workloaddefinition/front-end unchanged\nworkloadinstance/front-end unchanged\n",
    });
    await writeFile(file, configMap("a", "2"));
    const changed = await server.bowline(["deploy", file, "--cluster", "east"]);
    expect(changed).toMatchObject({
      code: 0,
      out: "workloaddefinition/front-end configured\nworkloadinstance/front-end configured\n",
      error: "It is taken out of west, which the placement no longer names.\n",
    });
  });

  test("keeps what somebody else has set, in the definition and in the instance", async () => {
    const stdin = configMap("kept");
    await server.bowline(["deploy", "-", "--name", "kept", "--cluster", "east"], { stdin });
    await server.client.patch(WorkloadInstance, "kept", {
      metadata: { labels: { team: "a" } },
      spec: { deletionPolicy: "retain", drift: "report" },
    });
    const ran = await server.bowline(["deploy", "-", "--name", "kept", "-n", "other"], { stdin });
    expect(ran.code).toBe(0);
    const { metadata, spec } = await server.client.get(WorkloadInstance, "kept");
    expect(metadata.labels).toEqual({ team: "a" });
    expect(spec).toMatchObject({ deletionPolicy: "retain", drift: "report", namespace: "other" });
  });

  test("takes the files of a folder in the order of their names, YAML and JSON", async () => {
    const json = JSON.stringify(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "j" } },
      undefined,
      "\t",
    );
    const folder = await folderOf({
      "2.json": json,
      "10.yaml": `\uFEFF${configMap("z").trimEnd()}`,
      "3.yml": `---\n${configMap("a")}---\n${configMap("b")}`,
      "notes.txt": "no manifest",
      "sub/x.yaml": configMap("x"),
    });
    const ran = await server.bowline([
      "deploy",
      folder,
      "--name",
      "folder",
      "--selector",
      "env=prod,!canary",
    ]);
    expect(ran).toMatchObject({ code: 0, error: "" });
    const { spec } = await server.client.get(WorkloadDefinition, "folder");
    const names = [...(spec.source.inline?.manifests ?? "").matchAll(/"?name"?: "?(\w+)/gu)];
    expect(names.map(([, name]) => name)).toEqual(["z", "j", "a", "b"]);
    const instance = await server.client.get(WorkloadInstance, "folder");
    expect(instance.spec.placement.selector).toEqual({
      matchLabels: { env: "prod" },
      matchExpressions: [{ key: "canary", operator: "DoesNotExist" }],
    });
    await server.bowline(["deploy", folder, "--name", "folder", "-R"]);
    const whole = await server.client.get(WorkloadDefinition, "folder");
    expect(whole.spec.source.inline?.manifests).toContain("name: x");
  });

  test("says so when no cluster has the labels yet", async () => {
    const ran = await server.bowline(["deploy", "-", "--name", "nowhere", "-l", "env=none"], {
      stdin: configMap("a"),
    });
    expect(ran).toMatchObject({
      code: 0,
      error: "No cluster has the labels env=none yet; it is deployed to each that gets them.\n",
    });
  });

  test("declares the parameters that the manifests refer to, and fills them in", async () => {
    const stdin = configMap("p", "${{ image }}").concat(
      "  replicas: ${{ replicas }}\n  where: ${{ cluster.name }}\n",
    );
    const deploy = ["deploy", "-", "--name", "filled", "--cluster", "east"];
    const without = await server.bowline(deploy, { stdin });
    expect(without).toMatchObject({ code: 2, out: "" });
    expect(without.error).toContain("add --set image=… --set replicas=…");
    const wrong = await server.bowline([...deploy, "--set", "images=a"], { stdin });
    expect(wrong.error).toContain("The manifests do not refer to a parameter images; did you mean «image»?");
    await expect(server.client.get(WorkloadDefinition, "filled")).rejects.toMatchObject({ code: "NotFound" });
    const set = ["--set", "image=web:1=2", "--set", "replicas:integer=3"];
    expect(await server.bowline([...deploy, ...set], { stdin })).toMatchObject({ code: 0 });
    const { spec } = await server.client.get(WorkloadDefinition, "filled");
    expect(spec.parameters).toEqual([
      { name: "image", type: "string", required: true },
      { name: "replicas", type: "integer", required: true },
    ]);
    // The second time only what changes has to be said.
    expect(
      await server.bowline(["deploy", "-", "--name", "filled", "--set", "image=web:2"], { stdin }),
    ).toMatchObject({
      code: 0,
      out: "workloaddefinition/filled unchanged\nworkloadinstance/filled configured\n",
    });
    const instance = await server.client.get(WorkloadInstance, "filled");
    expect(instance.spec.parameters).toEqual({ image: "web:2", replicas: "3" });
  });

  test("checks everything and writes nothing on a dry run", async () => {
    const ran = await server.bowline(
      ["deploy", "-", "--name", "dry", "--cluster", "east", "--dry-run", "--wait"],
      {
        stdin: configMap("a"),
      },
    );
    expect(ran).toMatchObject({
      code: 0,
      out: "workloaddefinition/dry created (dry run)\nworkloadinstance/dry created (dry run)\n",
      error: "",
    });
    await expect(server.client.get(WorkloadDefinition, "dry")).rejects.toMatchObject({ code: "NotFound" });
  });

  test("names the file and the line of everything that is wrong, and writes nothing", async () => {
    const folder = await folderOf({
      "a.yaml": configMap("one"),
      "b.yaml": `${configMap("two")}---\nkind: ConfigMap\nmetadata: {name: three}\n---\na: [\n`,
      "c.yaml": configMap("one").concat("  wrong: ${{ }}\n"),
    });
    const ran = await server.bowline(["deploy", folder, "--name", "bad", "--cluster", "east"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    const lines = ran.error.replaceAll(`${folder}/`, "").split("\n");
    expect(lines[0]).toMatch(/^error: b\.yaml, line 8: ConfigMap three: .*\(and 3 more\)\.$/u);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^ {2}b\.yaml, line 8: ConfigMap three: .*apiVersion/u),
      expect.stringMatching(/^ {2}b\.yaml, line 1[12]: this is not YAML/u),
      expect.stringMatching(/^ {2}c\.yaml: ConfigMap one: data\.wrong: has a reference without a name/u),
      "  c.yaml: ConfigMap one: the same object is in a.yaml already",
      "",
    ]);
    await expect(server.client.get(WorkloadDefinition, "bad")).rejects.toMatchObject({ code: "NotFound" });
  });

  test("does not write over a definition from git, or an instance of something else", async () => {
    await server.client.create(WorkloadDefinition, {
      metadata: { name: "from-git" },
      spec: { source: { git: { url: "https://git.example.com/a.git" } } },
    });
    const git = await server.bowline(["deploy", "-", "--name", "from-git", "--cluster", "east"], {
      stdin: configMap("a"),
    });
    expect(git).toMatchObject({ code: 1, out: "" });
    expect(git.error).toContain("takes its manifests from git");
    await server.client.create(WorkloadInstance, {
      metadata: { name: "of-other" },
      spec: { definition: "other", placement: { clusters: ["east"] } },
    });
    const other = await server.bowline(["deploy", "-", "--name", "of-other"], { stdin: configMap("a") });
    expect(other).toMatchObject({ code: 1, out: "" });
    expect(other.error).toContain('deploys the definition "other"');
  });

  test.each([
    [["-", "--cluster", "east"], 2, "Say what to call it: --name NAME."],
    [["-", "--name", "x"], 2, "Say where it is to run: --cluster NAME"],
    [["-", "--name", "x", "--cluster", "east", "-l", "a=b"], 2, "not both"],
    [["-", "--name", "x", "-l", ""], 2, "which would mean every cluster"],
    [["-", "--name", "x", "--cluster", "esat"], 1, 'Cluster "esat"'],
    [["-", "--name", "x", "--cluster", "east", "--set", "a"], 2, "is not NAME=VALUE"],
    [["-", "--name", "x", "--cluster", "east", "--set", "a:int=1"], 2, "«int» is no type of a parameter"],
    [["-", "--name", "x", "--cluster", "east", "--set", "a:integer=x"], 2, "must be a whole number"],
    [["no-such.yaml", "--cluster", "east"], 2, "no-such.yaml does not exist"],
  ])("refuses %j", async (args, code, message) => {
    const ran = await server.bowline(["deploy", ...args], { stdin: configMap("a") });
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(message);
  });

  test.each([
    ["", 2, "There are no Kubernetes objects in -."],
    ["kind: Cluster\napiVersion: bowline.dev/v1\nmetadata: {name: a}\nspec: {}\n", 1, "bowline apply -f"],
  ])("refuses what is not for Kubernetes: %j", async (stdin, code, message) => {
    const ran = await server.bowline(["deploy", "-", "--name", "x", "--cluster", "east"], { stdin });
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(message);
  });

  test("gives up after the time, with how things stand and what to do", async () => {
    const ran = await server.bowline(
      ["deploy", "-", "--name", "waits", "--cluster", "east", "--wait", "--timeout", "500ms"],
      { stdin: configMap("a") },
    );
    expect(ran).toMatchObject({
      code: 1,
      out: "workloaddefinition/waits created\nworkloadinstance/waits created\n",
    });
    expect(ran.error).toMatch(/error: .*workloadinstance\/waits: .*See more: bowline tree wi\/waits/u);
  });
});

test.each([
  ["web.yaml", "web"],
  ["deploy/Web_v2.YML", "web-v2"],
  ["/a/shop/", "shop"],
  ["a.b.json", "a-b"],
  ["-", undefined],
  ["___.yaml", undefined],
])("the name of %s is %s", (path, name) => {
  expect(nameFromPath(path)).toBe(name);
});
