import { locateDocuments, type LocatedDocuments } from "@bowline/manifests";

import { tooLarge } from "../files/source-file.ts";
import { maxExpandedLengthOf, type RenderLimits } from "../render-limits.ts";
import {
  limitError,
  refused,
  textOf,
  type ManifestFile,
  type ReadResult,
  type RenderProblem,
} from "./read-manifests.ts";

export interface DocumentsRequest {
  readonly files: readonly ManifestFile[];
  readonly limits: RenderLimits;
}

/** A document of a file, with its place. */
export type FileDocument = LocatedDocuments["documents"][number] & { readonly file: string };

/** Reads the documents of files that are not Kubernetes objects, in the order of the files. Throws `TooLarge`. */
export function readDocuments({ files, limits }: DocumentsRequest): ReadResult {
  const documents: FileDocument[] = [];
  const problems: RenderProblem[] = [];
  for (const file of files) {
    const text = textOf(file);
    if (text === undefined) {
      problems.push({ file: file.path, message: "this is not text in UTF-8" });
      continue;
    }
    const maxExpandedLength = maxExpandedLengthOf(text, limits);
    const located = locateDocuments(text, { maxBytes: limits.fileBytes, maxExpandedLength });
    for (const problem of located.problems) {
      if (problem.limit !== undefined) throw limitError(file.path, problem, maxExpandedLength);
      problems.push({ ...problem, file: file.path });
    }
    for (const document of located.documents) documents.push({ ...document, file: file.path });
    if (documents.length > limits.objects) {
      throw tooLarge(
        `With ${file.path}, these are ${documents.length} objects; at most ${limits.objects} are read together.`,
        { path: file.path, actual: documents.length, limit: limits.objects },
      );
    }
  }
  if (problems.length > 0) return refused(problems);
  return { content: contentOf(documents, limits), count: documents.length, notes: [], problems };
}

/** Aliases are written out here, which may take far more room than they did. */
function contentOf(documents: readonly FileDocument[], { renderedBytes }: RenderLimits): string {
  const texts: string[] = [];
  let size = 2;
  for (const document of documents) {
    const text = JSON.stringify(document);
    size += Buffer.byteLength(text) + 1;
    if (size > renderedBytes) {
      throw tooLarge(
        `With ${document.file}, the objects have more than ${renderedBytes} bytes; split them into several sources.`,
        { path: document.file, actual: size, limit: renderedBytes },
      );
    }
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}
