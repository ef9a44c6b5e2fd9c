import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { KubernetesObject } from "@bowline/api/agent-manifest";
import { installationObjects, parseValues } from "@bowline/install";
import { refusedValues, valueCases } from "@bowline/install/testing";
import { createTempFolder } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

import { runBowline, type Ran } from "../../testing/run-bowline.ts";

const { serverSettings } = await import("@bowline/server/settings");

async function temporaryFolder(): Promise<string> {
  const temp = await createTempFolder("install");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  return temp.path;
}

function install(...args: string[]): Promise<Ran> {
  return runBowline(["install", ...args]);
}

async function objectsOf(...args: string[]): Promise<KubernetesObject[]> {
  const { code, out, error } = await install("manifests", ...args);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return parseAllDocuments(out).map((document): KubernetesObject => document.toJS());
}

const several = [
  "--set=replicas=2,database.postgres.existingSecret=pg",
  "--set-string=encryption.existingSecret=keys",
];

describe("install manifests", () => {
  test("prints one server on SQLite, in a namespace of its own if asked", async () => {
    const objects = await objectsOf("--create-namespace", "-n", "fleet", "--name", "control");
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "Namespace fleet",
      "ServiceAccount control",
      "Service control",
      "Service control-headless",
      "NetworkPolicy control",
      "StatefulSet control",
    ]);
    expect(JSON.stringify(objects)).toContain('"docker.io/library/bowline:1.2.3"');
  });

  test("takes values from files, from standard input and from flags, the last one strongest", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.yaml"), "image: { tag: from-a, digest: '' }\nservice: { port: 1 }\n");
    const { out } = await runBowline(
      ["install", "manifests", "-o", "json", "-f", join(folder, "a.yaml"), "-f", "-", "--set=service.port=3"],
      { stdin: "image: { tag: from-stdin }\nservice: { port: 2 }\n" },
    );
    const { kind, items }: { kind: string; items: KubernetesObject[] } = JSON.parse(out);
    expect(kind).toBe("List");
    expect(JSON.stringify(items)).toContain('"docker.io/library/bowline:from-stdin"');
    expect(items.find((object) => object.kind === "Service")).toMatchObject({
      spec: { ports: [{ port: 3 }] },
    });
  });

  test("is for the Kubernetes that it is told", async () => {
    const budget = async (...flags: string[]): Promise<string | undefined> =>
      (await objectsOf(...several, ...flags)).find(({ kind }) => kind === "PodDisruptionBudget")?.apiVersion;
    expect(await budget("--kube-version", "v1.20.15+k3s1")).toBe("policy/v1beta1");
    expect(await budget()).toBe("policy/v1");
    expect(await install("manifests", "--kube-version", "1.19")).toMatchObject({
      code: 2,
      error: "error: Bowline needs Kubernetes 1.20 or newer, not 1.19.\n",
    });
    expect((await install("manifests", "--kube-version", "latest")).code).toBe(2);
  });

  test("names every value that is wrong, and prints nothing", async () => {
    const ran = await install("manifests", "--set=replicas=2,image.tagg=x,settings.log.level=loud");
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.error.split("\n")).toEqual([
      "error: 3 values are wrong, the first: image.tagg is an unknown field; did you mean «tag»?",
      "  image.tagg: is an unknown field; did you mean «tag»?",
      "  settings.log.level: must be one of trace, debug, info, warn, error, fatal, silent",
      expect.stringMatching(
        /^ {2}replicas: must be 1 with SQLite, which serves one process only; name a Secret/u,
      ),
      "",
    ]);
  });

  test.each([
    ["a file that is not there", ["-f", "/none/values.yaml"], 2, "/none/values.yaml does not exist"],
    ["a flag that cannot be read", ["--set", "a"], 2, "has no value; write NAME=VALUE"],
    ["a name that Kubernetes refuses", ["--name", "No"], 2, "No"],
    ["a name that no Service can have", ["--name", "1bowline"], 2, "with a letter first"],
    ["a name that is too long with what is added to it", ["--name", "b".repeat(53)], 2, "up to 30"],
  ])("says what is wrong with %s", async (_, flags, code, sentence) => {
    const ran = await install("manifests", ...flags);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(sentence);
  });

  test("says what is wrong with a file that has no values", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "values.yaml");
    await writeFile(file, "- replicas\n");
    expect((await install("manifests", "-f", file)).error).toContain("values are a map");
    await writeFile(file, "a: 1\n---\nb: 1\n");
    expect((await install("manifests", "-f", file)).error).toContain("one document, not several");
    await writeFile(file, "");
    expect((await install("manifests", "-f", file)).code).toBe(0);
  });
});

describe("install chart", () => {
  test("writes the chart that is in the repository, and nothing over anything", async () => {
    const folder = join(await temporaryFolder(), "chart");
    const ran = await install("chart", "--output-folder", folder);
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toContain(`${join(folder, "templates/stateful-set.yaml")} written\n`);
    const shipped = new URL("../../../../../deploy/chart/bowline/", import.meta.url);
    for (const file of ["values.yaml", "values.schema.json", "templates/deployment.yaml"]) {
      expect(await readFile(join(folder, file), "utf8")).toBe(await readFile(new URL(file, shipped), "utf8"));
    }
    expect(await install("chart", "--output-folder", folder)).toMatchObject({
      code: 1,
      error: expect.stringContaining("is there already; choose an empty folder"),
    });
  });
});

describe("install compose", () => {
  test("prints a compose file, or writes it into a folder", async () => {
    const { out } = await install("compose", ...several, "--with-postgres", "--with-nats", "--name", "fleet");
    expect(parse(out)).toMatchObject({
      name: "fleet",
      services: { "server-1": {}, "server-2": {}, postgres: {}, nats: {} },
    });
    const folder = await temporaryFolder();
    expect((await install("compose", "--output-folder", folder)).code).toBe(0);
    expect(parse(await readFile(join(folder, "compose.yaml"), "utf8"))).toMatchObject({
      services: { server: {} },
    });
  });

  test("refuses what is for Kubernetes", async () => {
    const ran = await install("compose", "--set=ingress.enabled=true,ingress.host=a.example.com");
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.error).toContain("A compose file cannot have ingress.enabled");
  });
});

describe("install values", () => {
  test("prints all values with comments, which are values that can be given back", async () => {
    const { out } = await install("values");
    expect(out).toContain("# How many servers run.");
    const { code, out: again } = await runBowline(["install", "values", "-f", "-", "-o", "json"], {
      stdin: out,
    });
    expect(code).toBe(0);
    expect(JSON.parse(again)).toEqual(parse(out));
  });

  test("prints those that are given, with the rest, and a schema for editors", async () => {
    expect(parse((await install("values", "--set=url=https://b.example.com")).out)).toMatchObject({
      url: "https://b.example.com",
      replicas: 1,
    });
    expect(JSON.parse((await install("values", "--schema")).out)).toMatchObject({
      additionalProperties: false,
    });
  });
});

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** The variables of the container, with files of Secrets in a folder of the test. */
async function environmentOf(values: object): Promise<Record<string, string>> {
  const release = { name: "bowline", namespace: "b", version: "1.2.3" };
  const objects = installationObjects(parseValues(values, serverSettings), release, serverSettings);
  const text = JSON.stringify(objects.find(({ kind }) => kind === "StatefulSet" || kind === "Deployment"));
  const pods: { spec: { template: { spec: { containers: { env: Variable[] }[] } } } } = JSON.parse(text);
  const folder = await temporaryFolder();
  const [container] = pods.spec.template.spec.containers;
  const variables = (container?.env ?? []).filter(({ name }) => name.startsWith("BOWLINE_"));
  const contents: Readonly<Record<string, string>> = {
    BOWLINE_DATABASE_URL_FILE: "postgres://bowline:secret@db.example.com/bowline",
    BOWLINE_NATS_URL_FILE: "nats://nats.example.com:4222",
  };
  const entries = variables.map(async ({ name, value = "secret" }) => {
    if (!name.endsWith("_FILE")) return [name, value] as const;
    const file = join(folder, name);
    await writeFile(file, contents[name] ?? "secret");
    return [name, file] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe("the server", () => {
  test.each(valueCases())("takes all variables that it is given, with $name", async ({ values }) => {
    const { loadConfig } = await import("@bowline/server");
    const environment = await environmentOf(values);
    const { listen, data, advertisedUrl, warnings } = loadConfig({ flags: {}, environment });
    expect({ listen, data, warnings }).toEqual({
      listen: { host: "0.0.0.0", port: 7443 },
      data: "/var/lib/bowline/server",
      warnings: [],
    });
    expect(advertisedUrl).toMatch(/^https:\/\//u);
  });

  test.each(refusedValues)("is not installed with %s", (_, values, path) => {
    expect(() => parseValues(values, serverSettings)).toThrow(`${path} `);
  });
});
