import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { createTempFolder, type TempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, expect, test } from "vitest";

import { bundleProgram, type Program } from "./bundle-program.ts";

let folder: TempFolder;
let program: Program;

beforeAll(async () => {
  folder = await createTempFolder("bundle");
  // Far from the sources: whatever it needs of them is missing here.
  program = await bundleProgram(join(folder.path, "program"));
}, 180_000);
afterAll(() => folder?.[Symbol.asyncDispose]());

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** With a home of its own: nothing of the machine's user, such as a context of a demo, is read. */
function bowline(...args: string[]): Promise<Ended> {
  const main = join(program.folder, "dist", "bowline.mjs");
  const options = {
    cwd: folder.path,
    env: { HOME: folder.path, PATH: process.env["PATH"] },
    timeout: 120_000,
  };
  return promisify(execFile)(process.execPath, [main, ...args], options);
}

test("the program is a folder that needs nothing but Node, and knows its version", async () => {
  expect((await bowline("--version")).stdout).toBe(`${program.version}\n`);
  const { stdout: version } = await bowline("version", "--client", "-o", "json");
  expect(JSON.parse(version)).toMatchObject({ client: program.version, revision: program.revision?.commit });
  expect((await bowline("help")).stdout).toMatch(/^ {2}server /mu);
  for (const command of ["server", "agent", "operator"]) {
    expect((await bowline(command, "--help")).stdout).toContain(`bowline ${command}`);
  }
  const names = await readdir(join(program.folder, "dist"));
  expect(names).toEqual(
    expect.arrayContaining(["bowline.mjs", "console", "demo-site.mjs", "render-process.mjs"]),
  );
});

test("renders programs of users, in processes of its own", async () => {
  await bowline("init", "shop");
  const { stdout } = await bowline("render", "shop/app.ts", "--set", "replicas:integer=3");
  expect(stdout).toContain("kind: Deployment");
  await mkdir(join(folder.path, "plain"), { recursive: true });
  await writeFile(
    join(folder.path, "plain", "map.yaml"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
  );
  expect((await bowline("render", "plain")).stdout).toContain("kind: ConfigMap");
});

test("says which libraries are in it, with their licences", async () => {
  const sbom: { components: { name: string; licenses: unknown[] }[] } = JSON.parse(
    await readFile(join(program.folder, "sbom.cdx.json"), "utf8"),
  );
  const names = sbom.components.map(({ name }) => name);
  // Of the server, of the agent, and of the console.
  expect(names).toEqual(expect.arrayContaining(["fastify", "pino", "react", "tailwindcss"]));
  expect(names.filter((name) => name.startsWith("@bowline/") || name === "vitest")).toEqual([]);
  const licences = await readFile(join(program.folder, "LICENSES.txt"), "utf8");
  expect(licences).toContain("Copyright (c) Meta Platforms");
});

test("is the same bytes when it is made again elsewhere, and no character takes two", async () => {
  const again = await bundleProgram(join(folder.path, "again"));
  const first = await contentOf(program.folder);
  expect(await contentOf(again.folder)).toEqual(first);
  const wide = [...first].filter(
    ([path, content]) => path.endsWith(".mjs") && /[\u{100}-\u{10ffff}]/u.test(content.toString("utf8")),
  );
  expect(wide.map(([path]) => path)).toEqual([]);
});

async function contentOf(root: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = await Promise.all(
    files.map(async (file) => [file.slice(root.length), await readFile(file)] as const),
  );
  return new Map(read);
}

test("its files are ASCII: of others Node keeps twice as much", async () => {
  const names = await readdir(join(program.folder, "dist"));
  const files = names.filter((name) => name.endsWith(".mjs"));
  const texts = await Promise.all(files.map((name) => readFile(join(program.folder, "dist", name), "utf8")));
  // eslint-disable-next-line no-control-regex
  expect(files.filter((_, at) => /[^\x00-\x7F]/u.test(texts[at] ?? ""))).toEqual([]);
});

test("an agent does not load all of undici, nor that of Node", async () => {
  const text = await readFile(join(program.folder, "dist", "bowline.mjs"), "utf8");
  expect(text).not.toContain("undici");
  const names = await readdir(join(program.folder, "dist"));
  const all = await Promise.all(
    names
      .filter((name) => name.endsWith(".mjs"))
      .map((name) => readFile(join(program.folder, "dist", name), "utf8")),
  );
  expect(all.filter((code) => /from "node:http"/u.test(code))).toEqual([]);
});

test("the agent runs from its compiled code, and from the modules of all commands where that does not fit", async () => {
  const dist = join(program.folder, "dist");
  const copy = join(folder.path, "compiled", "dist");
  await cp(dist, copy, { recursive: true });
  await cp(join(program.folder, "package.json"), join(copy, "..", "package.json"));
  const agent = async (...flags: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [...flags, join(copy, "bowline.mjs"), "agent", "--help"]))
      .stdout;
  const modules = await agent("--no-lazy");
  expect(await agent()).toBe(modules);
  // Nothing else tells them apart: without the modules, there is one left that can run.
  for (const name of await readdir(copy)) if (name.startsWith("run-process-")) await rm(join(copy, name));
  expect(await agent()).toBe(modules);
  await expect(agent("--no-lazy")).rejects.toThrow("ERR_MODULE_NOT_FOUND");
});
