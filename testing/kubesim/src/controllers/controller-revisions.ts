import type { ControllerContext } from "./controller-context.ts";
import type { PodTemplate } from "./kinds/pod.ts";
import type { ControllerRevision, DaemonSet, StatefulSet } from "./kinds/workloads.ts";
import { controllerReference } from "./owner-references.ts";
import { templateHash } from "./pods/pod-template.ts";

export const revisionHashLabel = "controller-revision-hash";

/**
 * The history of a StatefulSet's or DaemonSet's template. Every template it ever had is a ControllerRevision with a
 * number; one that comes back gets the next number instead of a second object.
 */
export class ControllerRevisions {
  readonly #context: ControllerContext;
  readonly #hashLabel: string;

  constructor(context: ControllerContext, hashLabel: string) {
    this.#context = context;
    this.#hashLabel = hashLabel;
  }

  /** The revision of the current template, made where it is missing. */
  current(owner: StatefulSet | DaemonSet): ControllerRevision {
    const { controllerRevisions } = this.#context.cluster;
    const all = this.all(owner);
    const latest = all.at(-1);
    const hash = templateHash(owner.spec.template);
    const same = all.findLast((each) => each.metadata.labels?.[this.#hashLabel] === hash);
    if (same === undefined) return this.#create(owner, (latest?.revision ?? 0) + 1);
    if (same === latest) return same;
    return controllerRevisions.update({ ...same, revision: (latest?.revision ?? 0) + 1 });
  }

  /** Oldest first. */
  all(owner: StatefulSet | DaemonSet): ControllerRevision[] {
    const owned = this.#context.cluster.controllerRevisionsByOwner.get(owner.metadata.uid);
    return owned.toSorted((a, b) => a.revision - b.revision);
  }

  /** Deletes the oldest of those that no pod uses, beyond the limit. */
  forgetOld(owner: StatefulSet | DaemonSet, inUse: ReadonlySet<string>): void {
    const limit = owner.spec.revisionHistoryLimit ?? 10;
    const unused = this.all(owner).filter((each) => !inUse.has(each.metadata.name));
    for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) {
      this.#context.cluster.controllerRevisions.delete(revision);
    }
  }

  #create(owner: StatefulSet | DaemonSet, revision: number): ControllerRevision {
    const hash = templateHash(owner.spec.template);
    const { name, namespace } = owner.metadata;
    return this.#context.cluster.controllerRevisions.create({
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: `${name}-${hash}`,
        ...(namespace === undefined ? {} : { namespace }),
        ...(owner.metadata.annotations === undefined ? {} : { annotations: owner.metadata.annotations }),
        labels: { ...owner.spec.template.metadata?.labels, [this.#hashLabel]: hash },
        ownerReferences: [controllerReference(owner)],
      },
      data: { spec: { template: { ...owner.spec.template, $patch: "replace" } } },
      revision,
    });
  }
}

/** The template a revision stands for. */
export function templateOf(revision: ControllerRevision): PodTemplate {
  const { $patch: _, ...template } = revision.data.spec.template;
  return template;
}
