import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findProgram, missingPrograms } from "./find-program.ts";
import { requireProgram } from "./require-program.ts";
import { createTempFolder } from "./temp-folder.ts";

async function folderWith(...programs: string[]): Promise<string> {
  const folder = await createTempFolder("programs");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  for (const program of programs) {
    const path = join(folder.path, program);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, "", { mode: 0o755 });
  }
  return folder.path;
}

it("looks through PATH in order", async () => {
  const first = await folderWith();
  const second = await folderWith("demo-server");
  const required = { program: "demo-server", debianPackage: "demo" };
  expect(await findProgram(required, { PATH: `${first}::${second}` })).toBe(join(second, "demo-server"));
  expect(await findProgram(required, { PATH: first })).toBeUndefined();
});

it("takes the newest of several versions, before PATH", async () => {
  const folder = await folderWith("demo/9/bin/demod", "demo/15/bin/demod", "bin/demod");
  const required = { program: "demod", debianPackage: "demo", alsoIn: join(folder, "demo/*/bin") };
  expect(await findProgram(required, { PATH: join(folder, "bin") })).toBe(join(folder, "demo/15/bin/demod"));
});

it("takes an absolute path as it is, whatever is in PATH", async () => {
  const folder = await folderWith("bin/go");
  const required = { program: join(folder, "go-1.19/bin/go"), debianPackage: "golang" };
  expect(await findProgram(required, { PATH: join(folder, "bin") })).toBeUndefined();
});

it("does not take a file that cannot be run", async () => {
  const folder = await folderWith();
  await writeFile(join(folder, "demo"), "", { mode: 0o644 });
  expect(await findProgram({ program: "demo", debianPackage: "demo" }, { PATH: folder })).toBeUndefined();
});

it("lists those that are missing", async () => {
  const folder = await folderWith("one");
  const [one, two] = ["one", "two"].map((program) => ({ program, debianPackage: program }));
  expect(
    await missingPrograms(
      [one, two].filter((each) => each !== undefined),
      { PATH: folder },
    ),
  ).toEqual([two]);
});

it("names the package of a program that must be there", async () => {
  await expect(
    requireProgram({ program: "no-such-program", debianPackage: "such-package" }),
  ).rejects.toMatchObject({
    code: "MissingProgram",
    message: expect.stringContaining("apt-get install such-package"),
  });
});
