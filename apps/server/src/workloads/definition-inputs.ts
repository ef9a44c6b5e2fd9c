import type { SpecOf, WorkloadDefinition } from "@bowline/api";
import { canonicalJson, contentId } from "@bowline/core";
import { readParameter } from "@bowline/manifests";

/**
 * Changes with everything in the spec of a definition from git that decides what its revision is made from, and with
 * nothing else: how often to look, with which credential, whose signatures count and whether it is paused say which
 * revisions may be made, not what is in one that there is. Undefined for a definition that is not from git.
 */
export function definitionInputs({
  source: { git },
  parameters,
  render,
}: SpecOf<typeof WorkloadDefinition>): string | undefined {
  if (git === undefined) return undefined;
  const { url, ref, path } = git;
  const declared = parameters.map(readParameter);
  return contentId(canonicalJson({ url, ref, path, parameters: declared, render: render ?? {} }));
}
