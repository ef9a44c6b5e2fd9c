import { asRecord, type BowlineError } from "@bowline/core";
import type { Discovery, ResourceRef } from "@bowline/kube";
import type { ManifestObject } from "@bowline/manifests";

import type { ObjectProblem } from "../object-result.ts";

/** A kind as it is needed to send its objects. */
export interface KnownKind extends ResourceRef {
  /** The definition in the same revision that brings the kind. */
  readonly definition?: string | undefined;
}

/**
 * - `known`: the cluster has it, or will have it once the revision's own definition is there
 * - `unknown`: it does not, and says so
 * - `unreadable`: a part of the cluster's API does not answer, so nobody can say
 */
export type KindLookup =
  | { readonly outcome: "known"; readonly kind: KnownKind }
  | { readonly outcome: "unknown"; readonly problem: ObjectProblem }
  | { readonly outcome: "unreadable"; readonly error: BowlineError };

interface KindQuery {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kinds of a cluster, together with those that CustomResourceDefinitions of the same revision bring. */
export class KindTable {
  readonly #discovery: Discovery;
  readonly #brought: ReadonlyMap<string, KnownKind>;
  #isFresh = false;

  constructor(discovery: Discovery, objects: readonly ManifestObject[]) {
    this.#discovery = discovery;
    this.#brought = new Map(objects.flatMap(kindsOf).map((kind) => [keyOf(kind), kind]));
  }

  async find(query: KindQuery): Promise<KindLookup> {
    const brought = this.#brought.get(keyOf(query));
    if (brought !== undefined) return { outcome: "known", kind: brought };
    const found = await this.#discovery.findKind(query);
    if (found === undefined) return this.#missing(query);
    if (found.verbs.includes("patch")) return { outcome: "known", kind: found };
    const message = `A ${query.kind} is asked for and answered at once; it cannot be kept in a cluster, so take it out.`;
    return { outcome: "unknown", problem: { reason: "UnknownKind", message } };
  }

  /** The kind in whichever version the cluster has now; undefined when it has none, and so no objects of it. */
  async findAnyVersion({ group, kind }: KindQuery): Promise<KnownKind | BowlineError | undefined> {
    const found = await this.#discovery.findKind({ group, kind });
    if (found !== undefined) return found;
    // What is forgotten for the lack of its kind is found by nobody again, so an answer from before does not count.
    if (!this.#isFresh) this.#discovery.invalidate();
    this.#isFresh = true;
    return (await this.#discovery.findKind({ group, kind })) ?? (await this.#failureOf(group));
  }

  /** The kind for a message: undefined where it cannot be had. */
  async known({ group, kind }: KindQuery): Promise<KnownKind | undefined> {
    return this.#discovery.findKind({ group, kind }).catch(() => undefined);
  }

  async #missing({ group, version, kind }: KindQuery): Promise<KindLookup> {
    const error = await this.#failureOf(group);
    if (error !== undefined) return { outcome: "unreadable", error };
    const other = await this.#discovery.findKind({ group, kind });
    const hint =
      other === undefined
        ? "install what brings it, or add its CustomResourceDefinition to the manifests"
        : `it has ${apiVersionOf(other)}, so write that`;
    const message = `The cluster has no ${kind} in ${apiVersionOf({ group, version })}; ${hint}.`;
    return { outcome: "unknown", problem: { reason: "UnknownKind", message } };
  }

  async #failureOf(group: string): Promise<BowlineError | undefined> {
    const { failures } = await this.#discovery.apis();
    return failures.find((failure) => failure.group === group)?.error;
  }
}

function apiVersionOf({ group, version }: Pick<ResourceRef, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

function keyOf({ group, version, kind }: KindQuery): string {
  return `${group}/${version}/${kind}`;
}

/** The kinds that a definition brings, in all versions that it serves. */
function kindsOf(object: ManifestObject): KnownKind[] {
  if (object.kind !== "CustomResourceDefinition" || !object.apiVersion.startsWith("apiextensions.k8s.io/")) {
    return [];
  }
  const spec = asRecord(object["spec"]);
  const { kind, plural } = asRecord(spec["names"]);
  const { group, scope, versions } = spec;
  if (typeof group !== "string" || typeof kind !== "string" || typeof plural !== "string") return [];
  const listed: readonly unknown[] = Array.isArray(versions) ? versions : [];
  const names = listed.map(asRecord).filter(({ served }) => served !== false);
  const shared = {
    group,
    kind,
    plural,
    namespaced: scope === "Namespaced",
    definition: object.metadata.name,
  };
  return names.flatMap(({ name }) => (typeof name === "string" ? [{ ...shared, version: name }] : []));
}
