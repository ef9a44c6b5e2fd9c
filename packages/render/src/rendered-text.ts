import type { SourceFile } from "./files/source-file.ts";
import type { RenderLimits } from "./render-limits.ts";
import type { RenderTool, RenderTools } from "./tools/render-tools.ts";
import type { RenderPool } from "./worker/render-pool.ts";

/** What a renderer that is a program is given. */
export interface CheckedRequest {
  readonly files: readonly SourceFile[];
  /** The folder that is rendered; "" for the root of the files. */
  readonly folder: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly releaseName: string;
  readonly namespace: string;
  readonly limits: RenderLimits;
  readonly tools: RenderTools;
  readonly pool: RenderPool;
  readonly signal: AbortSignal;
}

/** What it has printed. */
export interface RenderedText {
  readonly bytes: Uint8Array;
  readonly tool: RenderTool;
}
