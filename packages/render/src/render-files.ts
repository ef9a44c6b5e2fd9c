import { BowlineError } from "@bowline/core";
import type { ManifestObject } from "@bowline/manifests";

import { chooseManifests, detectRenderer, pathBelow, type RendererType } from "./files/choose-files.ts";
import { checkGlobs } from "./files/glob.ts";
import { checkFiles, type SourceFile } from "./files/source-file.ts";
import { defaultRenderLimits, type RenderLimits } from "./render-limits.ts";
import type { CheckedRequest } from "./rendered-text.ts";
import { renderHelm } from "./tools/render-helm.ts";
import { renderKustomize } from "./tools/render-kustomize.ts";
import type { RenderTool, RenderTools } from "./tools/render-tools.ts";
import type { ReadRequest, RenderProblem } from "./worker/read-manifests.ts";
import type { RenderPool } from "./worker/render-pool.ts";

export interface RenderSettings {
  readonly type?: "auto" | RendererType;
  /** For Helm. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Globs of manifests, from the folder that is rendered; for YAML. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface RenderRequest {
  readonly files: readonly SourceFile[];
  /** The folder to render; others may be referred to from it. The root, if left out. */
  readonly folder?: string;
  readonly render?: RenderSettings;
  /** For Helm. */
  readonly releaseName?: string;
  readonly namespace?: string;
  /** The parameters that there are; references are not looked at where this is missing. */
  readonly parameters?: readonly string[];
  readonly tools: RenderTools;
  readonly pool: RenderPool;
  readonly limits?: RenderLimits;
  readonly signal: AbortSignal;
}

export type Rendered = RenderedObjects | RefusedRender;

interface RenderedObjects {
  readonly ok: true;
  /** Read when they are asked for: whoever stores the content need not wait for that. */
  readonly objects: readonly ManifestObject[];
  /** The objects as canonical JSON. The same files give the same text on every machine. */
  readonly content: string;
  readonly count: number;
  /** What was left out on purpose. */
  readonly notes: readonly string[];
  /** Undefined for YAML, which Bowline reads itself. */
  readonly tool?: RenderTool | undefined;
}

interface RefusedRender {
  readonly ok: false;
  /** All that is wrong with the content, each with its file and line. */
  readonly problems: readonly RenderProblem[];
  readonly tool?: RenderTool | undefined;
}

/**
 * Makes Kubernetes objects of files. What is wrong with the content comes back as problems; everything else is thrown:
 * `TooLarge`, `UnsafePath`, `RenderFailed`, `RendererMissing` or `RendererTooOld`.
 */
export async function renderFiles(request: RenderRequest): Promise<Rendered> {
  const { render = {}, limits = defaultRenderLimits, folder = "" } = request;
  checkGlobs([...(render.include ?? []), ...(render.exclude ?? [])]);
  const files = checkFiles(request.files, limits);
  checkFolder(files, folder);
  const { type = "auto" } = render;
  const renderer = type === "auto" ? detectRenderer(files, folder) : type;
  if (renderer === "yaml") {
    const chosen = chooseManifests(files, folder, render);
    return await read(request, {
      files: chosen,
      limits,
      maxFileBytes: limits.fileBytes,
      renderer,
      parameters: request.parameters,
    });
  }
  const checked = { ...nameDefaults(request), files, folder, values: render.values ?? {}, limits };
  const text = await (renderer === "helm" ? renderHelm(checked) : renderKustomize(checked));
  if (!("bytes" in text)) return { ok: false, problems: text };
  const { bytes, tool } = text;
  const output = [{ path: `the output of ${tool.name}`, bytes }];
  const maxFileBytes = limits.renderedBytes;
  const { parameters } = request;
  return await read(checked, { files: output, limits, maxFileBytes, renderer, parameters }, tool);
}

function checkFolder(files: readonly SourceFile[], folder: string): void {
  if (files.some(({ path }) => pathBelow(path, folder) !== undefined)) return;
  throw new BowlineError(
    "RenderFailed",
    folder === "" ? "There are no files to render." : `There are no files below ${folder}.`,
  );
}

const releaseForm = /^[a-z0-9](?:[a-z0-9-]{0,51}[a-z0-9])?$/u;
const namespaceForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** Checked because they become arguments of a program. */
function nameDefaults(
  request: RenderRequest,
): Pick<CheckedRequest, "releaseName" | "namespace" | "tools" | "pool" | "signal"> {
  const { releaseName = "release", namespace = "default", tools, pool, signal } = request;
  if (!releaseForm.test(releaseName)) {
    throw new BowlineError("InvalidArgument", `«${releaseName.slice(0, 64)}» is no name of a release.`);
  }
  if (!namespaceForm.test(namespace)) {
    throw new BowlineError("InvalidArgument", `«${namespace.slice(0, 64)}» is no name of a namespace.`);
  }
  return { releaseName, namespace, tools, pool, signal };
}

async function read(
  { pool, signal }: Pick<RenderRequest, "pool" | "signal">,
  request: ReadRequest,
  tool?: RenderTool,
): Promise<Rendered> {
  const options = { timeoutMs: request.limits.renderMs, signal };
  const { content, count, notes, problems } = await pool.run({ kind: "readManifests", request }, options);
  if (problems.length > 0) return { ok: false, problems, tool };
  let objects: readonly ManifestObject[] | undefined;
  return {
    ok: true,
    content,
    count,
    notes,
    tool,
    get objects() {
      objects ??= readContent(content);
      return objects;
    },
  };
}

/** Our own text of a moment ago: each object in it has been checked. */
function readContent(content: string): readonly ManifestObject[] {
  const objects: readonly ManifestObject[] = JSON.parse(content);
  return objects;
}
