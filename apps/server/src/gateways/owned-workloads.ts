import {
  User,
  validateWrite,
  WorkloadDefinition,
  WorkloadInstance,
  type Author,
  type Kind,
  type ObjectOf,
  type SpecOf,
} from "@bowline/api";
import { BowlineError, hasCode } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";
import { parseManifests } from "@bowline/manifests";
import { TerminalError } from "@bowline/runtime";
import type { Fence, ObjectStore } from "@bowline/store";

import { madeForGateways } from "./entry.ts";

/** A workload of ours: a definition and an instance of one name, in one cluster. */
export interface OwnedWorkload {
  readonly name: string;
  readonly cluster: string;
  /** Says what it is for; `madeForGateways` is among them. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace: string;
  /** Missing where the definition belongs to somebody else. */
  readonly objects?: readonly KubeObject[];
  /** That definition. */
  readonly definition?: string;
  /** Values for its parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The workload that has to be applied before it. */
  readonly after?: string;
  /** Annotations for its CustomResourceDefinitions, which stay when it goes. */
  readonly definitionNotes?: Readonly<Record<string, string>>;
  /** How much may be pruned without anybody's approval; missing for everything. */
  readonly pruneLimit?: SpecOf<typeof WorkloadInstance>["pruneLimit"];
  readonly author: Author;
}

/** The version that something was decided by, of a definition of ours or else of the instance; undefined when there was none. */
export interface SeenVersion {
  readonly id: string;
  readonly generation: number;
}

export interface RemoveOptions {
  readonly author: Author | undefined;
  readonly fence: Fence | undefined;
  /** Of the instance. */
  readonly resourceVersion?: string | undefined;
}

/**
 * Writes and removes the workloads that are made for Gateways. Their names are derived, so that whoever is ended anywhere
 * and begins again makes none twice; what has such a name and not our label belongs to somebody else, and stays as it is.
 */
export class OwnedWorkloads {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** The objects of a definition of ours, as they were written last. */
  async read(
    name: string,
  ): Promise<{ readonly seen?: SeenVersion; readonly objects: readonly KubeObject[] }> {
    const definition = await this.#objects.get(WorkloadDefinition, name);
    if (definition === undefined) return { objects: [] };
    const { id, generation } = definition.metadata;
    const { objects } = parseManifests(definition.spec.source.inline?.manifests ?? "");
    return { seen: { id, generation }, objects: objects.map((object) => ({ ...object })) };
  }

  /** Somebody whom the settings name to write workloads as; undefined where they name nobody. */
  async namedAuthor(name: string | undefined): Promise<Author | undefined> {
    if (name === undefined) return undefined;
    const user = await this.#objects.get(User, name);
    // One who is not there may do nothing: nobody else's rights are used in their place.
    return { user: name, role: user?.spec.role ?? "viewer", method: "token", groups: [] };
  }

  /** An instance of ours; undefined when there is none, or one of somebody else. */
  async instance(name: string): Promise<WorkloadInstance | undefined> {
    const found = await this.#objects.get(WorkloadInstance, name);
    return found?.metadata.labels[madeForGateways] === undefined ? undefined : found;
  }

  /**
   * Makes it so. `Conflict` when the definition, or the instance of a definition of somebody else, is another one than was
   * seen: what was decided then may leave out what somebody else has put in since.
   */
  async write(
    workload: OwnedWorkload,
    { seen, fence }: { readonly seen?: SeenVersion | undefined; readonly fence: Fence | undefined },
  ): Promise<void> {
    const { name, objects } = workload;
    const metadata = metadataOf(workload);
    const options = { author: workload.author, fence };
    if (objects !== undefined) {
      const spec = definitionSpec(metadata, objects);
      await this.#objects.write(
        WorkloadDefinition,
        name,
        (current) => {
          requireOurs(WorkloadDefinition, name, current);
          requireSeen(WorkloadDefinition, name, current, seen);
          return { metadata, spec };
        },
        options,
      );
    }
    const spec = instanceSpec(workload, metadata);
    await this.#objects.write(
      WorkloadInstance,
      name,
      (current) => {
        requireOurs(WorkloadInstance, name, current);
        if (objects === undefined) requireSeen(WorkloadInstance, name, current, seen);
        return { metadata, spec: { ...spec, ...approvalOf(current) } };
      },
      options,
    );
  }

  /**
   * Whether both are gone, with everything in the cluster. The definition stays until then: it has the delete hooks. What
   * belongs to somebody else is not waited for: nothing of ours is behind it.
   * `Conflict` when the instance has another version than the one that was decided about.
   */
  async remove(name: string, { author, fence, resourceVersion }: RemoveOptions): Promise<boolean> {
    const instance = await this.instance(name);
    if (instance !== undefined) {
      const { id, deletedAt } = instance.metadata;
      if (deletedAt !== undefined) return false;
      const options = { id, author, fence, resourceVersion };
      const removed = await unlessGone(this.#objects.delete(WorkloadInstance, name, options));
      if (removed?.outcome === "deleting") return false;
    }
    const definition = await this.#objects.get(WorkloadDefinition, name);
    if (definition?.metadata.labels[madeForGateways] === undefined) return true;
    const { id } = definition.metadata;
    await unlessGone(this.#objects.delete(WorkloadDefinition, name, { id, author, fence }));
    return true;
  }
}

function metadataOf({ name, cluster, labels, annotations = {} }: OwnedWorkload) {
  return {
    name,
    labels: { ...labels, "bowline.dev/cluster": cluster },
    annotations: { ...annotations },
  };
}

type OwnedMetadata = ReturnType<typeof metadataOf>;

/** JSON is YAML, and one that nobody has to quote. Without blanks, as an entry with many hosts fills a definition. */
export function manifestsOf(objects: readonly KubeObject[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join("---\n");
}

function definitionSpec(
  metadata: OwnedMetadata,
  objects: readonly KubeObject[],
): SpecOf<typeof WorkloadDefinition> {
  const source = { inline: { manifests: manifestsOf(objects) } };
  return checked(WorkloadDefinition, { metadata, spec: { source } });
}

/** Hosts go when their Gateways do: there is nobody to ask. */
const everything = { count: 100_000, percent: 100 };

function instanceSpec(workload: OwnedWorkload, metadata: OwnedMetadata): SpecOf<typeof WorkloadInstance> {
  const {
    name,
    cluster,
    namespace,
    definition = name,
    parameters = {},
    after,
    definitionNotes,
    author,
  } = workload;
  const spec = {
    definition,
    placement: { clusters: [cluster] },
    namespace,
    parameters,
    pruneLimit: workload.pruneLimit ?? everything,
    ...(after === undefined ? {} : { dependsOn: [{ instance: after, condition: "Applied" }] }),
    ...(definitionNotes === undefined ? {} : { overrides: [noteOn(definitionNotes)] }),
    // Named, so that another author is a change of the spec and is written down.
    actingUser: author.user,
  };
  return checked(WorkloadInstance, { metadata, spec });
}

function noteOn(annotations: Readonly<Record<string, string>>): object {
  const target = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };
  return { selector: {}, patches: [{ target, patch: { merge: { metadata: { annotations } } } }] };
}

/** Fills in the defaults, and finds out here, not in a cluster, what cannot be applied. */
function checked<K extends Kind>(kind: K, body: object): SpecOf<K> {
  const result = validateWrite(kind, body);
  if (result.ok) return result.object.spec;
  const [problem] = result.problems;
  throw new TerminalError(
    "Invalid",
    `What was to be written for the Gateway is not valid: ${problem?.path} ${problem?.message}.`,
  );
}

function approvalOf(current: WorkloadInstance | undefined): Partial<SpecOf<typeof WorkloadInstance>> {
  const approved = current?.spec.approved;
  return approved === undefined ? {} : { approved };
}

function requireOurs(kind: Kind, name: string, current: ObjectOf<Kind> | undefined): void {
  if (current === undefined || current.metadata.labels[madeForGateways] !== undefined) return;
  throw new TerminalError(
    "NameTaken",
    `The ${kind.kind} "${name}" is not of Bowline, and has the name that this needs; rename it.`,
  );
}

function requireSeen(
  kind: Kind,
  name: string,
  current: ObjectOf<Kind> | undefined,
  seen: SeenVersion | undefined,
): void {
  const { id, generation } = current?.metadata ?? {};
  if (id === seen?.id && generation === seen?.generation) return;
  throw new BowlineError("Conflict", `${kind.kind} "${name}" was changed by somebody else meanwhile.`);
}

async function unlessGone<T>(removal: Promise<T>): Promise<T | undefined> {
  try {
    return await removal;
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}
