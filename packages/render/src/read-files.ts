import { manifestsBelow } from "./files/choose-files.ts";
import { checkFiles, type SourceFile } from "./files/source-file.ts";
import { defaultRenderLimits, type RenderLimits } from "./render-limits.ts";
import type { FileDocument } from "./worker/read-documents.ts";
import type { RenderProblem } from "./worker/read-manifests.ts";
import type { RenderPool } from "./worker/render-pool.ts";

export type { FileDocument } from "./worker/read-documents.ts";

export interface ReadFilesRequest {
  readonly files: readonly SourceFile[];
  /** The folder that counts; the root, if left out. */
  readonly folder?: string;
  readonly pool: RenderPool;
  readonly limits?: RenderLimits;
  readonly signal: AbortSignal;
}

export interface ReadFiles {
  readonly documents: readonly FileDocument[];
  /** What cannot be read; then there are no documents. */
  readonly problems: readonly RenderProblem[];
}

/**
 * Reads the documents of all .yaml, .yml and .json files below a folder, whatever they are, in a process of its own. What
 * is wrong with the texts comes back as problems; `TooLarge`, `UnsafePath` and `RenderFailed` are thrown.
 */
export async function readFiles(request: ReadFilesRequest): Promise<ReadFiles> {
  const { folder = "", limits = defaultRenderLimits, pool, signal } = request;
  const files = manifestsBelow(checkFiles(request.files, limits), folder);
  if (files.length === 0) return { documents: [], problems: [] };
  const task = { kind: "readDocuments", request: { files, limits } } as const;
  const { content, problems } = await pool.run(task, { timeoutMs: limits.renderMs, signal });
  // Our own text of a moment ago.
  const documents: readonly FileDocument[] = JSON.parse(content);
  return { documents, problems };
}
