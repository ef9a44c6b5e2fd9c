/**
 * Writes what is shipped to `build/`: `npm run image [-- NAME]`, `npm run package`, `npm run executable` and `npm run
 * chart`. The image is `bowline:VERSION`, unless another name is given.
 */
import { execFileSync } from "node:child_process";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { chartArchive } from "./chart/chart-archive.ts";
import { makeExecutable } from "./executable/make-executable.ts";
import { bowlineImage } from "./image/bowline-image.ts";
import { createImageArchive } from "./image/image-archive.ts";
import { bundleProgram, type Program } from "./program/bundle-program.ts";
import { readVersion, root } from "./program/read-version.ts";

const folder = join(root, "build");

/** Each returns what to do with what it has written. */
const forms: Readonly<Record<string, (program: Program, name?: string) => Promise<string>>> = {
  async image(program, name = `docker.io/library/bowline:${program.version}`) {
    const file = join("build", `bowline-${program.version}-image.tar`);
    await writeFile(join(root, file), await createImageArchive(await bowlineImage(program, name)));
    return `${await described(file)}: ${name}
Bring it to where it runs:
  docker load --input ${file}
  kind load image-archive ${file}
  ctr --namespace k8s.io images import ${file}`;
  },
  async package(program) {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, program.folder], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const file = join("build", `bowline-${program.version}.tgz`);
    return `${await described(file)}
Install it, where Node 24 or later is:
  npm install --global ./${file}`;
  },
  async executable(program) {
    const file = join("build", "bowline");
    await makeExecutable(program, join(root, file));
    return `${await described(file)}: ${program.version} for ${process.platform} on ${process.arch}
Put it on the PATH:
  install -m 755 ${file} /usr/local/bin/bowline`;
  },
};

/** The chart has no program in it. */
async function writeChart(): Promise<string> {
  const { version } = await readVersion();
  const file = join("build", `bowline-chart-${version}.tgz`);
  await writeFile(join(root, file), await chartArchive(join(root, "deploy", "chart", "bowline")));
  return `${await described(file)}
Install it:
  helm install bowline ${file} --namespace bowline-system --create-namespace`;
}

async function described(file: string): Promise<string> {
  return `${file}, ${((await stat(join(root, file))).size / 1e6).toFixed(1)} MB`;
}

const [form = "", name] = process.argv.slice(2);
const write = forms[form];
await mkdir(folder, { recursive: true });
if (form === "chart") console.log(await writeChart());
else if (write !== undefined) console.log(await write(await bundleProgram(join(folder, "program")), name));
else throw new TypeError(`Say what to write: ${[...Object.keys(forms), "chart"].join(", ")}.`);
