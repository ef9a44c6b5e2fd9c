import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { busyboxRoot, programFiles, type ImageOptions, type TarEntry } from "@bowline/test-cluster";

/** As `bowline cluster add` of this version names it. */
export const agentImageName = "bowline-agent:1.2.3";

/** What deploy/agent/Dockerfile makes, from the parts of this machine: the same program, with the Node that runs this. */
export async function agentImage(folder: string): Promise<ImageOptions> {
  return {
    // As container engines complete it.
    name: `docker.io/library/${agentImageName}`,
    entries: [
      ...(await busyboxRoot()),
      ...(await programFiles(process.execPath, "usr/local/bin/node")),
      ...(await filesBelow(folder, "app")),
    ],
    // It says all it can say: what it must not say is looked for.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", BOWLINE_LOG_LEVEL: "debug" },
    entrypoint: ["node", "/app/dist/bowline.mjs"],
    command: ["agent"],
  };
}

async function filesBelow(folder: string, pathInImage: string): Promise<TarEntry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }): Promise<TarEntry> => {
      const path = join(parentPath, name);
      return { type: "file", path: pathInImage + path.slice(folder.length), content: await readFile(path) };
    }),
  );
}
