import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

import { createTempFolder, freePort, ManagedProcess, type TempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { bundleProgram, type Program } from "../program/bundle-program.ts";
import { makeExecutable } from "./make-executable.ts";

describe("the executable", () => {
  let folder: TempFolder;
  let program: Program;
  let file: string;

  beforeAll(async () => {
    folder = await createTempFolder("executable");
    program = await bundleProgram(join(folder.path, "program"));
    file = join(folder.path, "bowline");
    await makeExecutable(program, file);
  }, 180_000);
  afterAll(() => folder?.[Symbol.asyncDispose]());

  /** On a machine that has no Node, as far as it can find out. */
  const environment = (): NodeJS.ProcessEnv => ({ HOME: folder.path, PATH: "/usr/bin:/bin" });

  async function bowline(...args: string[]): Promise<string> {
    const options = { cwd: folder.path, env: environment(), timeout: 120_000 };
    return (await promisify(execFile)(file, args, options)).stdout;
  }

  test("is every program, and knows its version", async () => {
    expect(JSON.parse(await bowline("version", "--client", "-o", "json"))).toEqual({
      client: program.version,
      revision: program.revision?.commit,
      node: process.version,
    });
    for (const command of ["server", "agent", "operator"]) {
      expect(await bowline(command, "--help")).toContain(`bowline ${command}`);
    }
  });

  test("runs programs of users shut off from everything, and renders files, by starting itself", async () => {
    await bowline("init", "my shop");
    expect(await bowline("render", "my shop/app.ts", "--set", "replicas:integer=3")).toContain("replicas: 3");
    const thief = `import { readFileSync } from "node:fs";\nexport default () => [readFileSync("/etc/hostname", "utf8")];\n`;
    await writeFile(join(folder.path, "my shop", "thief.ts"), thief);
    await expect(bowline("render", "my shop/thief.ts")).rejects.toThrow(
      /Access to this API has been restricted/u,
    );
    await writeFile(join(folder.path, "map.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    expect(await bowline("render", "map.yaml")).toContain("kind: ConfigMap");
  });

  test("serves the API and the console", async () => {
    const port = await freePort("127.0.0.1");
    const data = join(folder.path, "data");
    let printed = "";
    await using _server = await ManagedProcess.start({
      name: "bowline server",
      command: file,
      args: ["server", "--data", data, "--listen", `127.0.0.1:${port}`],
      env: environment(),
      onOutput: (chunk) => void (printed += chunk.toString()),
      isReady: async () => printed.includes("listens on"),
    });
    const ca = await readFile(join(data, "tls", "ca.crt"));
    const ask = (path: string, accept: string): Promise<string> =>
      new Promise((resolve, reject) => {
        get({ port, host: "127.0.0.1", path, ca, headers: { accept } }, (answer) => {
          text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject);
        }).on("error", reject);
      });
    expect(await ask("/version", "*/*")).toBe(`200 {"version":"${program.version}"}`);
    const page = await ask("/ui/", "text/html");
    expect(page).toMatch(/^200 <!doctype html>/iu);
    const [, script = ""] = /src="(\/ui\/assets\/[^"]+\.js)"/u.exec(page) ?? [];
    expect(await ask(script, "*/*")).toMatch(/^200 .{1000}/su);
  });
});
