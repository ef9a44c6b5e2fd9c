import type { ClusterFacts, ParameterValue } from "./app.ts";
import type { JsonProblem } from "./json-problem.ts";

/** What a program is called with. */
export interface ProgramInput {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Null for all clusters at once: facts are references then. */
  readonly cluster: ClusterFacts | null;
}

/** What the process that runs a program is asked. */
export interface ProgramQuestion {
  readonly file: string;
  readonly inputs: readonly ProgramInput[];
}

/** The objects for each input; or why there are none, as a sentence that begins after the name of the file. */
export type ProgramAnswer =
  | { readonly results: readonly unknown[] }
  | { readonly problem: string }
  | { readonly unusable: JsonProblem };
