import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { root } from "./read-version.ts";

/** A library whose code is in what is shipped. */
export interface PackageInside {
  readonly name: string;
  readonly version: string;
  /** As SPDX names it. */
  readonly license: string;
  /** What its authors want everybody to have who gets it. */
  readonly text: string;
}

/** Our own are no libraries. */
const ours = "@bowline/";

/** The libraries that these sources belong to, by name. */
export async function packagesInside(modules: readonly string[]): Promise<PackageInside[]> {
  const folders = new Set(
    modules.flatMap((module) => folderOf(resolve(root, module.replace(/\?.*$/su, ""))) ?? []),
  );
  const packages = await Promise.all(Array.from(folders, readPackage));
  return packages
    .filter(({ name }) => !name.startsWith(ours))
    .toSorted((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** That of the package, below the innermost `node_modules`. */
function folderOf(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file)?.[0];
}

async function readPackage(folder: string): Promise<PackageInside> {
  const { name, version, license }: { name: string; version: string; license?: unknown } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  if (typeof license !== "string") throw new Error(`${name} does not say what its licence is.`);
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice|copying)/iu.test(file));
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(folder, file), "utf8")));
  return { name, version, license, text: texts.map((text) => text.trim()).join("\n\n") };
}
