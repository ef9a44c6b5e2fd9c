import { RequestFailed } from "./request.ts";
import type { Failure } from "./failure.ts";

/** The refusal in what a request has thrown; other errors are defects of the page, and are told as such. */
export function failureIn(error: unknown): Failure | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof RequestFailed) return error.failure;
  return {
    status: 0,
    code: "Internal",
    message: error instanceof Error ? error.message : "Something went wrong in the page.",
    requestId: undefined,
    isPassing: false,
    isOfCluster: false,
  };
}
