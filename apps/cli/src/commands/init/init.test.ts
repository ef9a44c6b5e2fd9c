import { execFile } from "node:child_process";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { runBowline } from "../../testing/run-bowline.ts";

async function newFolder(): Promise<string> {
  const temp = await createTempFolder("init");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  return temp.path;
}

const root = join(import.meta.dirname, "../../../../..");

test("writes a program that passes its tests, is right by its types, and renders", async () => {
  const folder = join(await newFolder(), "shop");
  const ran = await runBowline(["init", folder]);
  expect(ran.code).toBe(0);
  expect((await readdir(folder)).toSorted()).toEqual([
    "README.md",
    "app.test.ts",
    "app.ts",
    "bowline.ts",
    "package.json",
    "tsconfig.json",
  ]);
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap"], { cwd: folder, env: {} });
  expect(stdout).toMatch(/# pass 2\n# fail 0\n/u);
  // As after npm install, which has nothing else to bring than what is here already.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { env: {} });
  const rendered = await runBowline(["render", join(folder, "app.ts"), "-o", "json"]);
  expect(JSON.parse(rendered.out)).toMatchObject({ items: [{ kind: "Deployment" }, { kind: "Service" }] });
});

test("writes over nothing", async () => {
  const folder = await newFolder();
  await writeFile(join(folder, "package.json"), "mine");
  const ran = await runBowline(["init", folder]);
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.error).toContain("package.json is there already");
  expect(await readdir(folder)).toEqual(["package.json"]);
  expect(await readFile(join(folder, "package.json"), "utf8")).toBe("mine");
});
