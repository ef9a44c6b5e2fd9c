/** The chart as it is shipped, rendered by Helm: it has to give the objects that `bowline install manifests` prints. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { givenValues, installationObjects, parseValues } from "@bowline/install";
import { refusedValues, valueCases, type ValueCase } from "@bowline/install/testing";
import { helmTest } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

import packageJson from "../../../package.json" with { type: "json" };

const { skip, folder: helmFolder } = await helmTest(process.env);
const { serverSettings } = await import("@bowline/server/settings");
const chart = fileURLToPath(new URL("../../../../../deploy/chart/bowline", import.meta.url));
const release = { name: "fleet", namespace: "bowline-system", version: packageJson.version };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bowline-chart-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function helm(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(helmFolder, "helm"), [...args], {
    env: { HOME: folder },
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

async function template(name: string, values: object, kubeVersion: string): Promise<string> {
  const file = join(folder, `${name}-${kubeVersion}.json`);
  await writeFile(file, JSON.stringify(values));
  const { name: releaseName, namespace } = release;
  const args = [
    releaseName,
    chart,
    "--namespace",
    namespace,
    "--values",
    file,
    "--kube-version",
    kubeVersion,
  ];
  return helm(["template", ...args]);
}

interface NamedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function sorted(objects: readonly NamedObject[]): NamedObject[] {
  const keyOf = ({ kind, metadata }: NamedObject): string => `${kind}/${metadata.name}`;
  return objects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const cases = valueCases().map((each, index): ValueCase & { readonly file: string } => ({
  ...each,
  file: `case-${index}`,
}));

describe.skipIf(skip)("Helm", () => {
  test.each(cases)("renders what the generator does: $name", async ({ file, values }) => {
    for (const kubernetesVersion of ["1.20.2", "1.36.4"]) {
      const rendered = await template(file, values, kubernetesVersion);
      const objects = parseAllDocuments(rendered).map((document): NamedObject => document.toJS());
      const own = installationObjects(
        parseValues(values, serverSettings),
        { ...release, kubernetesVersion },
        serverSettings,
      );
      expect(sorted(objects)).toEqual(sorted(own));
    }
  });

  test.each(refusedValues)("refuses %s", async (name, values) => {
    const refused = template(name.replaceAll(/\W/gu, "-"), values, "1.36.4");
    await expect(refused).rejects.toThrow(/values don't meet the specifications of the schema/u);
  });

  test("finds nothing to complain about", async () => {
    expect(await helm(["lint", "--strict", chart])).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  test("says how to go on, for each way to install", async () => {
    const copy = join(folder, "with-notes");
    await cp(chart, copy, { recursive: true });
    // Helm shows the notes when it has installed something; as a file of the chart they can be had without.
    await rename(join(copy, "templates", "NOTES.txt"), join(copy, "NOTES.txt"));
    await writeFile(
      join(copy, "templates", "notes.yaml"),
      'kind: Notes\nmetadata: { name: notes }\ntext: {{ tpl (.Files.Get "NOTES.txt") . | toJson }}\n',
    );
    const notes = async (...flags: readonly string[]): Promise<string> => {
      const args = ["fleet", copy, "--namespace", "b", "--show-only", "templates/notes.yaml", ...flags];
      const document: { readonly text: string } = parse(await helm(["template", ...args]));
      return document.text;
    };
    const alone = await notes();
    expect(alone).toContain("will be reached at https://fleet.b.svc:7443.\n");
    expect(alone).toContain("  kubectl -n b rollout status statefulset/fleet\n");
    expect(alone).toContain("prints the token of the admin once");
    expect(alone).toContain("  kubectl -n b port-forward service/fleet 7443:7443\n");
    const token = await notes("--set=adminToken.existingSecret=admin,service.type=LoadBalancer");
    expect(token).toContain("Log in with the token in the Secret admin.\n");
    expect(token).not.toContain("port-forward");
  });

  test("takes the chart inside of another one", async () => {
    const parent = join(folder, "parent");
    await cp(chart, join(parent, "charts", "bowline"), { recursive: true });
    await writeFile(join(parent, "Chart.yaml"), "apiVersion: v2\nname: parent\nversion: 1.0.0\n");
    await writeFile(join(parent, "values.yaml"), "global: { a: b }\nbowline: { replicas: 1 }\n");
    expect(await helm(["template", "fleet", parent])).toContain("kind: StatefulSet");
  });

  test("refuses a value that was taken away, in words, and does not stumble over it", async () => {
    const refused = helm(["template", "fleet", chart, "--set=database.postgres=null"]);
    await expect(refused).rejects.toThrow(/postgres/u);
  });

  test.each([
    "a=b,c=1,d=0,e=007,f=1.5,g=true,h=False,i=",
    "a.b.c=d,a.b.e=-7",
    "a={x,y,3},b={x,}",
    "a[0]=x,a[1]=y,b[0].c=z,b[0].d=1,e[0][0]=f",
    "a=b=c,d=x\\,y,e\\.f=z,g={x\\,y,z}",
  ])("reads --set %s as bowline does", async (text) => {
    const values = join(folder, "values");
    await mkdir(join(values, "templates"), { recursive: true });
    await writeFile(join(values, "Chart.yaml"), "apiVersion: v2\nname: values\nversion: 1.0.0\n");
    await writeFile(join(values, "templates", "all.yaml"), "values: {{ toJson .Values }}\n");
    for (const [flag, given] of [
      ["--set", { set: [text] }],
      ["--set-string", { setString: [text] }],
    ] as const) {
      expect(parse(await helm(["template", "r", values, flag, text]))).toEqual({
        values: givenValues(given),
      });
    }
  });
});
