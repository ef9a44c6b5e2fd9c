import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import type { ManifestObject } from "@bowline/manifests";
import { defaultRenderLimits } from "../render-limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import type { ProgramInput } from "./program-question.ts";
import { runProgram } from "./run-program.ts";

const sandbox = new Sandbox("/usr/sbin:/usr/bin:/sbin:/bin");
/** As on a machine that has no namespaces: what Node itself can do has to do. */
const unsandboxed = new Sandbox("");
const { signal } = new AbortController();
const forAll: ProgramInput = { parameters: {}, cluster: null };

async function run(
  body: string,
  { inputs = [forAll], isolated = true }: { inputs?: readonly ProgramInput[]; isolated?: boolean } = {},
): Promise<readonly (readonly ManifestObject[])[]> {
  const folder = await createTempFolder("program");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const file = join(folder.path, "app.ts");
  await writeFile(file, body);
  await writeFile(join(folder.path, "part.ts"), "export const label: string = 'part';\n");
  return runProgram({
    file,
    inputs,
    sandbox: isolated ? sandbox : unsandboxed,
    limits: defaultRenderLimits,
    signal,
  });
}

const configMap = "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }";

describe("a program", () => {
  test("makes objects of parameters and facts, with other files and asynchronously", async () => {
    const text = `
import { label } from "./part.ts";
import { readFile } from "node:fs/promises";
interface Input { parameters: { replicas?: number }; cluster: { name: string; labels: Record<string, string> } }
export default async function ({ parameters, cluster }: Input) {
  console.log("not an answer");
  const length = (await readFile(new URL("./part.ts", import.meta.url))).length;
  return [${configMap}, data: { label, length: String(length), twice: String((parameters.replicas ?? 1) * 2),
    where: cluster.name + "/" + cluster.labels["tier"], gone: undefined } }];
}`;
    const inputs = [
      { parameters: { replicas: 3 }, cluster: { name: "east", labels: { tier: "gold" } } },
      { parameters: {}, cluster: null },
    ];
    const results = await run(text, { inputs });
    expect(results.map(([object]) => object?.["data"])).toEqual([
      { label: "part", length: "37", twice: "6", where: "east/gold" },
      { label: "part", length: "37", twice: "2", where: "${{ cluster.name }}/${{ cluster.labels.tier }}" },
    ]);
  });

  test.each([
    ["a random number", "String(Math.random())"],
    ["the time", "String(process.hrtime.bigint())"],
    ["the time zone", "new Date(0).toString()"],
  ])("that gives %s is refused, with the first difference", async (_, value) => {
    await expect(
      run(`export default () => [${configMap}, data: { a: 'b', x: ${value} } }];`),
    ).rejects.toMatchObject({
      code: "RenderFailed",
      message: expect.stringMatching(
        /^app\.ts gives something else each time it is asked: objects\[0\]\.data\.x is ".+" and ".+"\. /u,
      ),
    });
  });

  test.each([
    ["throws", "export default () => {\n  throw new Error('no');\n};", "app.ts threw on line 2: no."],
    ["has no function", "export const a = 1;", "app.ts has no default export that is a function."],
    ["returns no list", "export default () => ({});", "app.ts did not return a list of objects."],
    [
      "returns a date",
      `export default () => [${configMap}, data: { at: new Date(0) } }];`,
      "app.ts returned something that cannot be used: object 1 has at data.at a Date, which is no JSON.",
    ],
    [
      "returns NaN",
      `export default () => [${configMap}, data: [0 / 0] }];`,
      "app.ts returned something that cannot be used: object 1 has at data[0] NaN, which is no JSON.",
    ],
    ["exits", "process.exit(3);", /^app\.ts ended before it had made objects/u],
    ["returns null", "export default () => [null];", /object 1 has something without apiVersion/u],
  ])("that %s is refused", async (_, text, message) => {
    await expect(run(text)).rejects.toThrow(message);
  });

  test("has its objects checked as manifests are", async () => {
    const text = `export default () => [${configMap} }, ${configMap} }, { kind: "Job", metadata: { generateName: "x-" } }];`;
    await expect(run(text)).rejects.toMatchObject({
      code: "Invalid",
      details: {
        fields: [
          { path: "app.ts, object 2", message: expect.stringContaining("the same object") },
          { path: "app.ts, object 3", message: "Job: apiVersion is missing" },
          { path: "app.ts, object 3", message: expect.stringContaining("generateName") },
        ],
      },
    });
  });

  test.each([
    ["read outside of its folder", 'import { readFileSync } from "node:fs";\nreadFileSync("/etc/hostname");'],
    [
      "write",
      'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("./x", import.meta.url), "");',
    ],
    ["start a program", 'import { execFileSync } from "node:child_process";\nexecFileSync("true");'],
    ["start a thread", 'import { Worker } from "node:worker_threads";\nnew Worker("", { eval: true });'],
  ])("cannot %s", async (_, text) => {
    await expect(run(`${text}\nexport default () => [];`)).rejects.toThrow(
      /^app\.ts threw on line 2: Access to this API has been restricted/u,
    );
  });

  test("knows nothing of the environment", async () => {
    process.env["CANARY"] = "canary";
    onTestFinished(() => void delete process.env["CANARY"]);
    const [[object] = []] = await run(
      `export default () => [${configMap}, data: { keys: Object.keys(process.env).filter((key) => key !== "TZ").join() } }];`,
    );
    expect(object?.["data"]).toEqual({ keys: "LC_ALL" });
  });

  test.each([true, false])("has no network, with namespaces (%s) or without", async (isolated) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const text = `await fetch("http://127.0.0.1:${port}/");\nexport default () => [];`;
    await expect(run(text, { isolated })).rejects.toThrow(/^app\.ts threw/u);
    expect(connections).toBe(0);
  });
});
