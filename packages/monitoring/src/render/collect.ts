import { Scope } from "../check/scope.ts";
import {
  judge,
  namespaceLabelsOf,
  readSearch,
  type NamespaceLabels,
  type Search,
  type Verdict,
} from "../check/search.ts";
import { Report, type Field } from "../model/field.ts";
import { formatRef, refOf, type KubeObject, type ObjectRef } from "../model/kube-object.ts";
import type { Root, Selection } from "../root/read-root.ts";
import { monitorKinds } from "./render-monitor.ts";
import type { InstanceExplanation, SearchVerdict } from "./render-result.ts";

/** Somebody who selects monitors: the root itself, or an instance that the root selected. */
export interface Collection {
  readonly owner: ObjectRef;
  readonly spec: Field;
  readonly scope: Scope;
  readonly monitors: readonly KubeObject[];
}

export interface Collected {
  readonly collections: readonly Collection[];
  readonly searches: readonly Search[];
  readonly instances: readonly InstanceExplanation[];
  /** Verdicts on each monitor, by its reference. */
  readonly verdicts: ReadonlyMap<string, readonly SearchVerdict[]>;
}

/** Finds out who collects which of the objects, which must be sorted. */
export function collect(root: Root, objects: readonly KubeObject[], selection: Selection): Collected {
  return new Collector(objects, selection).collect(root);
}

class Collector {
  readonly #byKind: ReadonlyMap<string, readonly KubeObject[]>;
  readonly #namespaces: NamespaceLabels;
  readonly #selection: Selection;
  readonly #searches: Search[] = [];
  readonly #instances: InstanceExplanation[] = [];
  readonly #verdicts = new Map<string, SearchVerdict[]>();

  constructor(objects: readonly KubeObject[], selection: Selection) {
    this.#byKind = Map.groupBy(objects, ({ kind }) => kind);
    this.#namespaces = namespaceLabelsOf(objects);
    this.#selection = selection;
  }

  collect({ spec, scope }: Root): Collected {
    const owners = scope.owner.kind === "MetricsAgent" ? this.#findInstances(spec, scope) : [{ spec, scope }];
    return {
      collections: owners.map((owner) => this.#collection(owner.spec, owner.scope)),
      searches: this.#searches,
      instances: this.#instances,
      verdicts: this.#verdicts,
    };
  }

  #findInstances(spec: Field, scope: Scope): { spec: Field; scope: Scope }[] {
    const search = this.#search(spec, "instance", { kind: "MetricsInstance", by: scope.owner });
    return this.#ofKind("MetricsInstance").flatMap((object) => {
      const instance = refOf(object);
      const verdict = this.#judge(search, object);

      this.#instances.push({ instance, ...verdict, notes: [] });
      if (!verdict.selected) return [];
      const own = new Scope(instance, new Report(), scope.options);
      return [{ spec: own.field(object.spec, "spec"), scope: own }];
    });
  }

  #collection(spec: Field, scope: Scope): Collection {
    const monitors = Object.values(monitorKinds).flatMap(({ kind, selector }) => {
      const search = this.#search(spec, selector, { kind, by: scope.owner });
      return this.#ofKind(kind).filter((object) => this.#select(search, object));
    });
    return { owner: scope.owner, spec, scope, monitors };
  }

  #search(spec: Field, prefix: string, whose: Pick<Search, "kind" | "by">): Search {
    const search = readSearch(spec, prefix, whose);
    this.#searches.push(search);
    return search;
  }

  #select(search: Search, object: KubeObject): boolean {
    const key = formatRef(refOf(object));
    const verdict = this.#judge(search, object);
    const verdicts = this.#verdicts.get(key) ?? [];
    verdicts.push({ by: search.by, ...verdict });
    this.#verdicts.set(key, verdicts);
    return verdict.selected;
  }

  #judge(search: Search, object: KubeObject): Verdict {
    if (this.#takesAll(search.kind)) {
      return { selected: true, reason: `Every ${search.kind} is taken, whatever the selectors say.` };
    }
    return judge(search, object, this.#namespaces);
  }

  #takesAll(kind: string): boolean {
    if (typeof this.#selection === "string") return this.#selection === "all";
    return this.#selection.allOf.includes(kind);
  }

  #ofKind(kind: string): readonly KubeObject[] {
    return this.#byKind.get(kind) ?? [];
  }
}
