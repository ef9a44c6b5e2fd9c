import { didYouMean } from "@bowline/core";
import { describeProblem, maxManifestBytes, parseManifests, referencesIn } from "@bowline/manifests";
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
  parameters: readonly { readonly name: string }[],
  at: string,
): Problem[] {
  const path = `${at}.manifests`;
  const { objects, problems } = parseManifests(manifests);
  const used = referencesIn(objects);
  const declared = parameters.map(({ name }) => name);
  const undeclared = used.parameters
    .filter(({ name }) => !declared.includes(name))
    .map(({ name, ...place }) => ({
      ...place,
      message: `refers to the parameter ${name}, which is not in spec.parameters${didYouMean(name, declared)}`,
    }));
  const found = [...problems, ...used.problems, ...undeclared];
  if (found.length === 0 && objects.length === 0)
    return [{ path, message: "has no Kubernetes objects in it" }];
  return found.map((problem) => ({ path, message: `has a problem: ${describeProblem(problem)}` }));
}
