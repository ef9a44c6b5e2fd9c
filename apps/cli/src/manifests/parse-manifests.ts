import { apiVersion, kinds, dnsLabel, type Kind } from "@bowline/api";
import { closest, isRecord } from "@bowline/core";
import type { BowlineError } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";
import { isObjectName } from "../resources/resource.ts";
import type { Manifest } from "./manifest.ts";
import { invalidAt, parseDocuments, type FoundObject } from "./parse-documents.ts";
import type { ManifestSource } from "./read-sources.ts";

/** The objects in a file of YAML or JSON. Throws `Invalid`, which names the place, for the first thing that is wrong. */
export function parseManifests(source: ManifestSource): Manifest[] {
  return Array.from(parseDocuments(source), manifestOf);
}

function manifestOf({ body, ...at }: FoundObject): Manifest {
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
