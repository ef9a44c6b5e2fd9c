import { access, readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError, type TarEntry } from "@bowline/core";

import type { Program } from "../program/bundle-program.ts";
import type { ImageOptions } from "./image-archive.ts";
import { programFiles } from "./program-files.ts";

/**
 * Programs of this machine that the server starts, and the Debian packages that have them: git with what it starts
 * itself to fetch and to verify, and what keeps git and renderers within limits.
 */
const tools: Readonly<Record<string, string>> = {
  git: "git",
  gpg: "gnupg",
  prlimit: "util-linux",
  sh: "dash",
  ssh: "openssh-client",
  "ssh-keygen": "openssh-client",
  unshare: "util-linux",
};
/** Parts of git that are programs of their own: for `https://`. All others are git itself. */
const gitFolder = "/usr/lib/git-core";
const gitParts = ["git", "git-remote-http", "git-remote-https"];
const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** Of nobody in particular, and not root. */
const user = 65_532;

/** The image of server, agent and operator: which of them it is, its first argument says. */
export async function bowlineImage(program: Program, name: string): Promise<ImageOptions> {
  const { version, revision } = program;
  return {
    name,
    // The second is all that another version changes.
    layers: [await systemLayer(), await folderEntries(program.folder, "app")],
    entrypoint: ["/usr/bin/node", "/app/dist/bowline.mjs"],
    command: ["help"],
    // The C library keeps memory apart for each thread, which do little here: with one place for all it is 2 MB less.
    env: { PATH: "/usr/bin:/bin", HOME: "/tmp", MALLOC_ARENA_MAX: "1" },
    user: `${user}:${user}`,
    createdAt: revision?.at,
    labels: {
      "org.opencontainers.image.title": "bowline",
      "org.opencontainers.image.description": "One control plane for all your Kubernetes clusters",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.licenses": "Apache-2.0",
      ...(revision === undefined ? {} : { "org.opencontainers.image.revision": revision.commit }),
    },
  };
}

async function systemLayer(): Promise<TarEntry[]> {
  const programs: (readonly [from: string, to: string])[] = [[process.execPath, "usr/bin/node"]];
  for (const [tool, debianPackage] of Object.entries(tools)) {
    programs.push([await findTool(tool, debianPackage), tool === "sh" ? "bin/sh" : `usr/bin/${tool}`]);
  }
  for (const part of gitParts)
    programs.push([await realpath(join(gitFolder, part)), join(gitFolder, part).slice(1)]);
  const files = await Promise.all(programs.map(([from, to]) => programFiles(from, to)));
  return withFolders([
    ...files.flat(),
    text("etc/passwd", `root:x:0:0:root:/:/bin/false\nbowline:x:${user}:${user}:bowline:/tmp:/bin/false\n`),
    text("etc/group", `root:x:0:\nbowline:x:${user}:\n`),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
    { type: "file", path: certificates.slice(1), content: await readFile(certificates) },
    { type: "folder", path: "tmp", mode: 0o1777 },
    // A volume of a container engine that is mounted here for the first time gets this mode.
    { type: "folder", path: "var/lib/bowline", mode: 0o1777 },
  ]);
}

async function findTool(tool: string, debianPackage: string): Promise<string> {
  for (const folder of ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]) {
    const path = join(folder, tool);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return realpath(path);
  }
  throw new BowlineError(
    "MissingProgram",
    `The image needs ${tool}, which is not here: apt-get install ${debianPackage}.`,
  );
}

/** Libraries that several programs share are there once, and every folder before what is in it. */
function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end);
      if (!byPath.has(folder)) byPath.set(folder, { type: "folder", path: folder });
    }
  }
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function folderEntries(folder: string, pathInImage: string): Promise<TarEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    found
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }): Promise<TarEntry> => {
        const path = join(parentPath, name);
        return { type: "file", path: pathInImage + path.slice(folder.length), content: await readFile(path) };
      }),
  );
  return withFolders(files);
}

function text(path: string, content: string): TarEntry {
  return { type: "file", path, content: Buffer.from(content) };
}
