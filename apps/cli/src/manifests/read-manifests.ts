import { BowlineError } from "@bowline/core";

import { placeOf, type Manifest } from "./manifest.ts";
import { parseManifests } from "./parse-manifests.ts";
import { readSources, type ReadSourcesOptions } from "./read-sources.ts";

/** As many as a server is meant to have of all kinds together. */
const maxManifests = 100_000;

/**
 * Every object in files, folders and standard input. All of it is read and understood before anybody acts on any of it:
 * a slip in the last file must not leave the first ones applied.
 */
export async function readManifests(
  paths: readonly string[],
  options: ReadSourcesOptions,
): Promise<Manifest[]> {
  const sources = await readSources(paths, options);
  const manifests = sources.flatMap(parseManifests);
  if (manifests.length === 0) {
    throw new BowlineError("InvalidArgument", `There are no objects in ${paths.join(", ")}.`);
  }
  if (manifests.length > maxManifests) {
    throw new BowlineError(
      "InvalidArgument",
      `There are more than ${maxManifests} objects; give fewer files.`,
    );
  }
  refuseDuplicates(manifests);
  return manifests;
}

/** Which of two would win depends on their order, and whoever wrote both has forgotten one of them. */
function refuseDuplicates(manifests: readonly Manifest[]): void {
  const seen = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const key = `${manifest.kind.singular}/${manifest.name}`;
    const first = seen.get(key);
    if (first !== undefined) {
      const places = [first, manifest].map(({ origin, lineOf }) => placeOf(origin, lineOf("")));
      throw new BowlineError("Invalid", `${key} is there twice: in ${places.join(" and in ")}.`);
    }
    seen.set(key, manifest);
  }
}
