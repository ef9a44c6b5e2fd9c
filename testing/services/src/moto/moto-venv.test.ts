import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { createTempFolder } from "../temp-folder.ts";
import { whyNoMoto } from "./moto-venv.ts";

interface Machine {
  /** What its Python says of itself; it has no Python without. */
  readonly version?: string;
  readonly hasPip?: boolean;
  /** The moto in the cache. */
  readonly cached?: string;
}

/** An environment with this Python and nothing else. */
async function machine({ version, hasPip = false, cached }: Machine): Promise<NodeJS.ProcessEnv> {
  const folder = await createTempFolder("machine");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const bin = join(folder.path, "bin");
  const cache = join(folder.path, "bowline", "moto-5.2.5-1", "bin");
  for (const path of [bin, cache]) await mkdir(path, { recursive: true });
  const program = (path: string, script: string): Promise<void> =>
    writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  if (version !== undefined) {
    const pip = hasPip ? "echo both" : "exit 1";
    await program(
      join(bin, "python3"),
      `case "$3" in *version_info*) ${version} ;; *ensurepip*) ${pip} ;; esac`,
    );
  }
  if (cached !== undefined) await program(join(cache, "python"), `echo ${cached}`);
  return { PATH: bin, XDG_CACHE_HOME: folder.path };
}

it.each([
  ["no Python", {}, "there is no Python (python3) in PATH"],
  ["an old one", { version: "echo 3.9", hasPip: true }, "Python 3.10 or newer is needed, and"],
  ["one that does not run", { version: "exit 1" }, "is none that runs"],
  ["no pip", { version: "echo 3.11" }, "comes without venv and pip"],
  [
    "no pip, and another moto in the cache",
    { version: "echo 3.11", cached: "5.1.0" },
    "without venv and pip",
  ],
])("is told why there is no moto: %s", async (_, programs: Machine, reason) => {
  expect(await whyNoMoto(await machine(programs))).toContain(reason);
});

it("can be had with Python and pip, and without pip once it is there", async () => {
  expect(await whyNoMoto(await machine({ version: "echo 3.10", hasPip: true }))).toBeUndefined();
  expect(await whyNoMoto(await machine({ version: "echo 3.13", cached: "5.2.5" }))).toBeUndefined();
});
