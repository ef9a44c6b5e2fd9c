import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { createTar } from "@bowline/core";
import { createTempFolder, type TempFolder } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { bundleProgram, type Program } from "../program/bundle-program.ts";
import { bowlineImage } from "./bowline-image.ts";
import type { ImageOptions } from "./image-archive.ts";

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** Everything the server starts, in the root file system of the image. */
describe.skipIf(!isRoot)("the image", () => {
  let folder: TempFolder;
  let program: Program;
  let image: ImageOptions;
  let root: string;

  beforeAll(async () => {
    folder = await createTempFolder("image");
    program = await bundleProgram(join(folder.path, "program"));
    image = await bowlineImage(program, "localhost/bowline:1");
    root = join(folder.path, "root");
    await mkdir(root);
    for (const layer of image.layers) {
      await writeFile(join(folder.path, "layer.tar"), createTar(layer));
      await run("tar", ["--extract", "--file", join(folder.path, "layer.tar"), "--directory", root]);
    }
    // As every container engine does.
    await mkdir(join(root, "dev"));
    await run("mknod", ["--mode=666", join(root, "dev", "null"), "c", "1", "3"]);
  }, 180_000);
  afterAll(() => folder?.[Symbol.asyncDispose]());

  /** As a container engine does, with its user and environment. */
  async function inImage(...command: string[]): Promise<string> {
    const args = [`--userspec=${image.user}`, root, ...command];
    const { stdout, stderr } = await run("/usr/sbin/chroot", args, {
      env: { ...image.env },
      timeout: 120_000,
    });
    return stdout + stderr;
  }

  test("runs the program, as nobody in particular", async () => {
    expect(await inImage(...(image.entrypoint ?? []), "--version")).toBe(`${program.version}\n`);
    expect(await inImage("node", "--print", "process.getuid()")).toBe("65532\n");
    await expect(inImage("node", "--eval", 'fs.writeFileSync("/app/written", "")')).rejects.toThrow("EACCES");
    await inImage("node", "--eval", 'fs.mkdirSync("/var/lib/bowline/server")');
  });

  test.each([
    ["git", "--version", /^git version 2/u],
    ["ssh", "-V", /^OpenSSH/u],
    ["gpg", "--version", /^gpg \(GnuPG\)/u],
    ["prlimit", "--version", /^prlimit from util-linux/u],
    ["unshare", "--version", /^unshare from util-linux/u],
  ])("has %s with all it loads", async (tool, flag, said) => {
    expect(await inImage(tool, flag)).toMatch(said);
  });

  test("has git that fetches over https, with what it starts for that", async () => {
    // Nothing listens there: that it was tried says that its parts are all there.
    await expect(inImage("git", "ls-remote", "https://127.0.0.1:1/shop.git")).rejects.toThrow(
      /Failed to connect to 127\.0\.0\.1/u,
    );
    await expect(inImage("git", "ls-remote", "ssh://git@127.0.0.1:1/shop.git")).rejects.toThrow(
      /connect to host 127\.0\.0\.1 port 1/u,
    );
  });

  test("says what it is", () => {
    expect(image.labels).toMatchObject({ "org.opencontainers.image.version": program.version });
  });
});
