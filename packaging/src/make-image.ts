/**
 * Writes the image of server, agent and operator to `build/`, without a container engine: `npm run image`, or `npm run
 * image -- NAME` for another name than `bowline:VERSION`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bowlineImage } from "./image/bowline-image.ts";
import { createImageArchive } from "./image/image-archive.ts";
import { bundleProgram } from "./program/bundle-program.ts";
import { root } from "./program/read-version.ts";

const folder = join(root, "build");
await mkdir(folder, { recursive: true });
const program = await bundleProgram(join(folder, "program"));
const name = process.argv[2] ?? `docker.io/library/bowline:${program.version}`;
const archive = await createImageArchive(await bowlineImage(program, name));
const file = join("build", `bowline-${program.version}-image.tar`);
await writeFile(join(root, file), archive);
console.log(`${file}: ${name}, ${(archive.byteLength / 1e6).toFixed(1)} MB
Bring it to where it runs:
  docker load --input ${file}
  kind load image-archive ${file}
  ctr --namespace k8s.io images import ${file}`);
