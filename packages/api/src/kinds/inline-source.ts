import {
  describeProblem,
  maxManifestBytes,
  parseManifests,
  referenceProblems,
  type ManifestProblem,
  type ParsedManifests,
} from "@bowline/manifests";
import type { Static } from "typebox";

import { object, text } from "../schema/build.ts";
import type { Problem } from "../validate/report.ts";

export const inlineSource = object("Manifests written into the object itself.", {
  manifests: text("Kubernetes manifests as YAML, several separated by `---`; at most 1 MiB.", {
    minLength: 1,
    maxLength: maxManifestBytes,
  }),
});
type InlineSource = Static<typeof inlineSource>;

/** Problems of manifests that follow the schema: everything that can be known without a cluster. */
export function inlineSourceProblems(
  { manifests }: InlineSource,
  parameters: readonly DeclaredName[],
  at: string,
): Problem[] {
  const path = `${at}.manifests`;
  const problems = manifestProblems(parseManifests(manifests), parameters);
  return problems.map((problem) => ({ path, message: `has a problem: ${describeProblem(problem)}` }));
}

interface DeclaredName {
  readonly name: string;
}

/** The same about a text that has been parsed. */
export function manifestProblems(
  { objects, problems }: ParsedManifests,
  parameters: readonly DeclaredName[],
): ManifestProblem[] {
  const declared = parameters.map(({ name }) => name);
  const found = [...problems, ...referenceProblems(objects, declared)];
  return found.length === 0 && objects.length === 0
    ? [{ message: "there are no Kubernetes objects in it" }]
    : found;
}
