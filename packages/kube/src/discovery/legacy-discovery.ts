import { BowlineError } from "@bowline/core";
import { arrayOf, recordOf, textOf, textsOf } from "../json-fields.ts";
import {
  joinApis,
  type DiscoveredApis,
  type DiscoveredGroup,
  type DiscoveredResource,
} from "./discovered-apis.ts";

/** Reads the resources of one group version, from `/api/v1` or `/apis/apps/v1`. */
type ReadGroupVersion = (group: string, version: string) => Promise<unknown>;

const concurrency = 8;

/** The groups of `/api` (kind APIVersions) or `/apis` (kind APIGroupList), the preferred version first. */
export function parseGroups(answer: unknown): DiscoveredGroup[] {
  const root = recordOf(answer) ?? {};
  if (root["kind"] === "APIVersions") return [{ name: "", versions: textsOf(root["versions"]) }];
  return arrayOf(root["groups"]).flatMap((raw) => {
    const group = recordOf(raw) ?? {};
    const name = textOf(group["name"]);
    if (name === undefined) return [];
    const preferred = textOf(recordOf(group["preferredVersion"])?.["version"]);
    const versions = textsOf(arrayOf(group["versions"]).map((entry) => recordOf(entry)?.["version"]));
    return [
      { name, versions: versions.toSorted((a, b) => Number(b === preferred) - Number(a === preferred)) },
    ];
  });
}

/** One request per group version, a few at a time. What fails is reported and hurts nothing else. */
export async function readGroups(
  groups: readonly DiscoveredGroup[],
  read: ReadGroupVersion,
): Promise<DiscoveredApis> {
  const wanted = groups.flatMap(({ name, versions }) =>
    versions.map((version) => ({ group: name, version })),
  );
  const parts: DiscoveredApis[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < wanted.length; index = next++) {
      const item = wanted[index];
      if (item !== undefined) parts[index] = await readPart(item.group, item.version, read);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, wanted.length) }, work));
  return joinApis([{ groups, resources: [], failures: [] }, ...parts]);
}

async function readPart(group: string, version: string, read: ReadGroupVersion): Promise<DiscoveredApis> {
  try {
    const answer = await read(group, version);
    return { groups: [], resources: parseResources(answer, group, version), failures: [] };
  } catch (thrown) {
    const error = BowlineError.from(thrown);
    if (error.code === "Cancelled") throw error;
    return { groups: [], resources: [], failures: [{ group, version, error }] };
  }
}

/** Subresources come as entries of their own, named `pods/log`. */
export function parseResources(answer: unknown, group: string, version: string): DiscoveredResource[] {
  const entries = arrayOf(recordOf(answer)?.["resources"]).map((raw) => recordOf(raw) ?? {});
  const names = textsOf(entries.map((entry) => entry["name"]));
  return entries.flatMap((entry) => {
    const plural = textOf(entry["name"]);
    const kind = textOf(entry["kind"]);
    if (plural === undefined || kind === undefined || plural.includes("/")) return [];
    const prefix = `${plural}/`;
    return [
      {
        group,
        version,
        plural,
        kind,
        namespaced: entry["namespaced"] === true,
        singular: textOf(entry["singularName"]) ?? kind.toLowerCase(),
        shortNames: textsOf(entry["shortNames"]),
        categories: textsOf(entry["categories"]),
        verbs: textsOf(entry["verbs"]),
        subresources: names
          .filter((name) => name.startsWith(prefix))
          .map((name) => name.slice(prefix.length)),
      },
    ];
  });
}
