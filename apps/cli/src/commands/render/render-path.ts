import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, relative, resolve, sep } from "node:path";

import { BowlineError, codeOf } from "@bowline/core";
import type { ManifestObject } from "@bowline/manifests";
import {
  defaultRenderLimits,
  describeRenderProblem,
  renderFiles,
  RenderPool,
  RenderTools,
  type RenderSettings,
  type SourceFile,
} from "@bowline/render";

import type { CommandContext } from "../../command/command-context.ts";
import { readSources } from "../../manifests/read-sources.ts";
import { readValuesFile } from "../../manifests/read-values-file.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { readFolder } from "./read-folder.ts";

export interface RenderFlags {
  readonly type: NonNullable<RenderSettings["type"]>;
  readonly root?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly values?: string;
  readonly releaseName?: string;
  readonly namespace: string;
}

/** The objects of a file, a folder or standard input. Throws `Invalid` with every problem. */
export async function renderPath(
  context: CommandContext,
  path: string,
  flags: RenderFlags,
): Promise<readonly ManifestObject[]> {
  const { environment, signal, terminal } = context;
  const { files, folder } = await filesOf(context, path, flags);
  await using pool = new RenderPool({ concurrency: 1 });
  const rendered = await renderFiles({
    files,
    folder,
    render: {
      type: flags.type,
      ...(flags.include === undefined ? {} : { include: flags.include }),
      ...(flags.exclude === undefined ? {} : { exclude: flags.exclude }),
      ...(flags.values === undefined ? {} : { values: await readValuesFile(context, flags.values) }),
    },
    releaseName: flags.releaseName ?? releaseNameOf(path),
    namespace: flags.namespace,
    tools: new RenderTools({
      searchPath: environment["PATH"] ?? "",
      allow: ["kustomize", "helm"],
      temporaryFolder: tmpdir(),
    }),
    pool,
    signal,
  });
  if (rendered.ok) {
    for (const note of rendered.notes) terminal.error(`${printableLine(note)}\n`);
    return rendered.objects;
  }
  const problems = rendered.problems.map((problem) => printableLine(describeRenderProblem(problem)));
  const [first = "", ...others] = problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new BowlineError("Invalid", `${first}${more}.`, {
    details: {
      fields: rendered.problems.map(({ file = "", ...problem }) => ({
        path: file,
        message: describeRenderProblem(problem),
      })),
    },
  });
}

interface FoundFiles {
  readonly files: readonly SourceFile[];
  readonly folder: string;
}

async function filesOf(context: CommandContext, path: string, { root }: RenderFlags): Promise<FoundFiles> {
  const { signal, terminal } = context;
  if (path !== "-" && (await isFolder(path))) {
    const top = root ?? path;
    const folder = relative(resolve(top), resolve(path)).split(sep).join("/");
    if (folder === ".." || folder.startsWith("../")) {
      throw new BowlineError("InvalidArgument", `${printableLine(path)} is not below ${printableLine(top)}.`);
    }
    return { files: await readFolder(top, defaultRenderLimits, signal), folder };
  }
  const [source] = await readSources([path], { readStdin: terminal.readStdin, signal });
  const name = path === "-" ? "stdin.yaml" : basename(resolve(path));
  const bytes = new TextEncoder().encode(source?.text ?? "");
  return { files: [{ path: name, bytes, mode: 0o100644 }], folder: "" };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    throw new BowlineError("InvalidArgument", `${printableLine(path)} does not exist.`, { cause });
  }
}

/** A name that Helm takes, of whatever the folder is called. */
function releaseNameOf(path: string): string {
  const name = basename(resolve(path))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 53)
    .replaceAll(/^-|-$/gu, "");
  return name === "" ? "release" : name;
}
