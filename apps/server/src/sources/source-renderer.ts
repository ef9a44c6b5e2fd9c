import { createHash } from "node:crypto";

import type { SpecOf, WorkloadDefinition } from "@bowline/api";
import { BowlineError, canonicalJson, contentId, type Clock, type Metrics } from "@bowline/core";
import { revisionOfJson } from "@bowline/manifests";
import {
  describeRenderProblem,
  detectRenderer,
  renderFiles,
  type RenderPool,
  type RenderProblem,
  type RenderTools,
} from "@bowline/render";

import type { SourceFiles } from "./git-reader.ts";

export interface SourceRendererOptions {
  readonly tools: RenderTools;
  readonly pool: RenderPool;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** What is rendered: files, and what a definition says about them. */
export interface RenderTask extends Pick<SourceFiles, "files" | "folder"> {
  readonly name: string;
  readonly spec: Pick<SpecOf<typeof WorkloadDefinition>, "parameters" | "render">;
  readonly signal: AbortSignal;
}

export interface RenderedSource {
  /** The content of a revision. */
  readonly content: string;
  readonly objects: number;
  /** The program that did it, with its version; undefined where none was needed. */
  readonly renderer: string | undefined;
  readonly notes: readonly string[];
}

/** Makes revisions of files, outside of this process. */
export class SourceRenderer {
  readonly #options: SourceRendererOptions;
  readonly #seconds;

  constructor(options: SourceRendererOptions) {
    this.#options = options;
    this.#seconds = options.metrics.histogram({
      name: "bowline_render_seconds",
      help: "How long rendering the files of a source took, by renderer and by what came of it: rendered, refused for its content, or failed.",
      labelNames: ["type", "result"],
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    });
  }

  /** Throws `RenderFailed` with all problems of the content, and what `renderFiles` throws. */
  async render({ name, spec, files, folder, signal }: RenderTask): Promise<RenderedSource> {
    const { tools, pool, clock } = this.#options;
    const { releaseName = name, ...render } = spec.render ?? {};
    const asked = spec.render?.type ?? "auto";
    const type = asked === "auto" ? detectRenderer(files, folder) : asked;
    const began = clock.monotonicMs();
    const count = (result: string): void =>
      this.#seconds.observe({ type, result }, (clock.monotonicMs() - began) / 1_000);
    const parameters = spec.parameters.map((parameter) => parameter.name);
    const request = { files, folder, render, releaseName, parameters, tools, pool, signal };
    const rendered = await renderFiles(request).catch((thrown: unknown) => {
      count("failed");
      throw thrown;
    });
    count(rendered.ok ? "rendered" : "refused");
    if (!rendered.ok) throw renderFailed(rendered.problems);
    const { content } = revisionOfJson(rendered.content, spec.parameters);
    const { tool, notes, count: objects } = rendered;
    const renderer = tool === undefined ? undefined : `${tool.name} ${tool.version}`;
    return { content, objects, renderer, notes };
  }
}

/** The same for the same files and settings: what was rendered from them need not be rendered again. */
export function renderDigest({ files, folder, name, spec }: Omit<RenderTask, "signal">): string {
  const named = files.map(({ path, mode, bytes }) => [
    path,
    mode,
    createHash("sha256").update(bytes).digest("hex"),
  ]);
  const { parameters, render = null } = spec;
  return contentId(canonicalJson({ files: named, folder, name, parameters, render }));
}

/** As long as a message of a condition may be, with room for what stands around it. */
const maxMessageLength = 3_500;

function renderFailed(problems: readonly RenderProblem[]): BowlineError {
  const told = `The manifests cannot be used. ${problems.map(describeRenderProblem).join("; ")}.`;
  const message =
    told.length <= maxMessageLength ? told : `${told.slice(0, maxMessageLength).toWellFormed()}…`;
  return new BowlineError("RenderFailed", message);
}
