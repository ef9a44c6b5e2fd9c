import { BowlineError } from "@bowline/core";
import { arrayOf, recordOf, textOf, textsOf } from "../json-fields.ts";
import type {
  DiscoveredApis,
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveryFailure,
} from "./discovered-apis.ts";

/** Newest first; a server that knows none of the first two answers the last, the old group list. */
export const aggregatedAccept = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** Everything in one answer (since 1.26, stable since 1.30); `undefined` when the server answered the old way. */
export function parseAggregated(answer: unknown): DiscoveredApis | undefined {
  const list = recordOf(answer);
  if (list?.["kind"] !== "APIGroupDiscoveryList") return undefined;
  const groups: DiscoveredGroup[] = [];
  const resources: DiscoveredResource[] = [];
  const failures: DiscoveryFailure[] = [];
  for (const item of arrayOf(list["items"])) {
    const group = textOf(recordOf(recordOf(item)?.["metadata"])?.["name"]) ?? "";
    const versions = arrayOf(recordOf(item)?.["versions"]).map((version) => recordOf(version) ?? {});
    groups.push({ name: group, versions: textsOf(versions.map((entry) => entry["version"])) });
    for (const entry of versions) {
      const version = textOf(entry["version"]);
      if (version === undefined) continue;
      // The server keeps the last known resources of an aggregated API that does not answer, if it ever had any.
      if (entry["freshness"] === "Stale") failures.push(staleFailure(group, version));
      resources.push(...arrayOf(entry["resources"]).flatMap((raw) => parseResource(raw, group, version)));
    }
  }
  return { groups, resources, failures };
}

function parseResource(raw: unknown, group: string, version: string): DiscoveredResource[] {
  const resource = recordOf(raw) ?? {};
  const plural = textOf(resource["resource"]);
  const kind = textOf(recordOf(resource["responseKind"])?.["kind"]);
  if (plural === undefined || kind === undefined) return [];
  return [
    {
      group,
      version,
      plural,
      kind,
      namespaced: resource["scope"] === "Namespaced",
      singular: textOf(resource["singularResource"]) ?? kind.toLowerCase(),
      shortNames: textsOf(resource["shortNames"]),
      categories: textsOf(resource["categories"]),
      verbs: textsOf(resource["verbs"]),
      subresources: textsOf(
        arrayOf(resource["subresources"]).map((entry) => recordOf(entry)?.["subresource"]),
      ),
    },
  ];
}

function staleFailure(group: string, version: string): DiscoveryFailure {
  const error = new BowlineError(
    "ServerUnavailable",
    `The API ${group}/${version} does not answer; check the APIService ${version}.${group} and what it points to.`,
  );
  return { group, version, error };
}
