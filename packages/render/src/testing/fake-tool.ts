import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import type { Clock } from "@bowline/core";
import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import type { SourceFile } from "../files/source-file.ts";
import { RenderTools } from "../tools/render-tools.ts";

export interface FakeTools {
  readonly tools: RenderTools;
  /** Where renderings have their private folders: empty again after each. */
  readonly temporaryFolder: string;
  /** A folder that outlives them, for what a program wants to tell the test. */
  readonly folder: string;
}

/** A program of a name that is a shell script: `$folder` is one it can write to, its first line answers for the version. */
export async function fakeTools(
  programs: Readonly<Record<string, string>>,
  options: { readonly clock?: Clock } = {},
): Promise<FakeTools> {
  const temp = await createTempFolder("fake-tool");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const folder = temp.path;
  const [bin, temporaryFolder] = [join(folder, "bin"), join(folder, "tmp")];
  await mkdir(bin);
  await mkdir(temporaryFolder);
  for (const [name, script] of Object.entries(programs)) {
    const path = join(bin, name);
    // The PATH that a renderer is given is empty, so the shell gets one of its own.
    await writeFile(path, `#!/bin/sh\nrendererPath=$PATH\nPATH=/usr/bin:/bin\nfolder=${folder}\n${script}\n`);
    await chmod(path, 0o755);
  }
  const searchPath = [bin, "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(delimiter);
  const tools = new RenderTools({ searchPath, allow: ["kustomize", "helm"], temporaryFolder, ...options });
  return { tools, temporaryFolder, folder };
}

/** The renderers of this machine. */
export function hostTools(searchPath: string): RenderTools {
  return new RenderTools({ searchPath, allow: ["kustomize", "helm"], temporaryFolder: tmpdir() });
}

export function sourceFiles(texts: Readonly<Record<string, string | Uint8Array>>): SourceFile[] {
  return Object.entries(texts).map(([path, text]) => ({
    path,
    bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
    mode: 0o100644,
  }));
}
