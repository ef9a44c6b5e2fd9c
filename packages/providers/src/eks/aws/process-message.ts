import type { AwsErrorFacts, AwsTarget, OperationInput, OperationName } from "./aws-api.ts";

/** What is asked of the process that has the SDK. */
export type ProcessQuestion = { readonly id: number; readonly target: AwsTarget } & (
  | { readonly kind: "send"; readonly name: OperationName; readonly input: OperationInput<OperationName> }
  | { readonly kind: "token"; readonly cluster: string }
);

export interface ProcessReply {
  readonly id: number;
  readonly output?: unknown;
  readonly error?: AwsErrorFacts;
}
