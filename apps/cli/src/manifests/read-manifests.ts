import { apiVersion, dnsLabel, kinds, type Kind } from "@bowline/api";
import { BowlineError, closest, isRecord } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";
import { isObjectName } from "../resources/resource.ts";
import { placeOf, type Manifest } from "./manifest.ts";
import { invalidAt, parseDocuments, type ParsedObject } from "./parse-documents.ts";
import { readSources, type ManifestSource, type ReadSourcesOptions } from "./read-sources.ts";

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

/** The winner of two would depend on their order, and their author has forgotten one of them. */
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

/** The objects in a file of YAML or JSON. Throws `Invalid`, which names the place, for the first thing that is wrong. */
export function parseManifests(source: ManifestSource): Manifest[] {
  return Array.from(parseDocuments(source), manifestOf);
}

function manifestOf({ body, ...at }: ParsedObject): Manifest {
  const refuse = (field: string, message: string): BowlineError =>
    invalidAt(at.origin, at.lineOf(field), `${field}${field === "" ? "" : " "}${message}`);
  if (!isRecord(body)) throw refuse("", "there is no object here, with a kind, metadata and a spec");
  const kind = kindOf(body, refuse);
  const metadata = body["metadata"];
  const name = isRecord(metadata) ? metadata["name"] : undefined;
  if (name === undefined) throw refuse("metadata.name", "is missing");
  if (typeof name !== "string") throw refuse("metadata.name", "must be a string; put it in quotes");
  if (!isObjectName(name)) throw refuse("metadata.name", `must be ${dnsLabel.expects}`);
  return { kind, name, body, ...at };
}

type Refuse = (field: string, message: string) => BowlineError;

function kindOf(body: Readonly<Record<string, unknown>>, refuse: Refuse): Kind {
  const { apiVersion: version, kind: name } = body;
  if (version !== undefined && version !== apiVersion) {
    const hint =
      "; manifests of Kubernetes go into spec.source.inline.manifests of a WorkloadDefinition, or into git";
    throw refuse("apiVersion", `must be ${apiVersion}${typeof version === "string" ? hint : ""}`);
  }
  if (typeof name !== "string") throw refuse("kind", name === undefined ? "is missing" : "must be a string");
  const kind = kinds.find((candidate) => candidate.kind === name);
  if (kind !== undefined) return kind;
  const names = kinds.map((candidate) => candidate.kind);
  const meant = closest(name, names);
  const hint = meant === undefined ? `the kinds are ${names.join(", ")}` : `did you mean «${meant}»?`;
  throw refuse("kind", `is «${printableLine(name.slice(0, 64))}», which there is none of; ${hint}`);
}
