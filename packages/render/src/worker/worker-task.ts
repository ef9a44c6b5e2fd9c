import { BowlineError, errorCodes, type ErrorCode } from "@bowline/core";

import { checkKustomizations, type KustomizationRequest } from "./check-kustomizations.ts";
import { readDocuments, type DocumentsRequest } from "./read-documents.ts";
import { readManifests, refused, type ReadRequest, type ReadResult } from "./read-manifests.ts";

/** The work of a worker: everything that reads YAML somebody else wrote. */
export type WorkerTask =
  | { readonly kind: "readManifests"; readonly request: ReadRequest }
  | { readonly kind: "readDocuments"; readonly request: DocumentsRequest }
  | { readonly kind: "checkKustomizations"; readonly request: KustomizationRequest };

export type WorkerAnswer =
  | { readonly ok: true; readonly result: ReadResult }
  | { readonly ok: false; readonly error: SentError };

/** An error as it goes from thread to thread, where it would lose its class. */
interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function answerTask(task: WorkerTask): WorkerAnswer {
  try {
    return { ok: true, result: resultOf(task) };
  } catch (thrown) {
    const { code, message, details = {} } = BowlineError.from(thrown);
    return { ok: false, error: { code, message, details } };
  }
}

function resultOf(task: WorkerTask): ReadResult {
  if (task.kind === "readManifests") return readManifests(task.request);
  if (task.kind === "readDocuments") return readDocuments(task.request);
  return refused(checkKustomizations(task.request));
}

export function receivedError({ code, message, details }: SentError): BowlineError {
  return new BowlineError(Object.hasOwn(errorCodes, code) ? code : "Internal", message, { details });
}
