import type { GraphEdge, GraphNode } from "../graph/graph.ts";
import { nodeKey } from "../model/node.ts";
import { nodeText as refText, type Grant } from "../rbac/access.ts";
import { answerEdge, nodeText } from "./answer-edge.ts";
import { isWithheld, maySee, refNode, type Asking } from "./asking.ts";
import type { Entry } from "./exposed-services.ts";
import type { Owners } from "./owners.ts";
import { hasEnded, type SecretWay } from "./pod-secrets.ts";
import { covers, type SecretRights } from "./secret-rights.ts";
import { vertexCover } from "./vertex-cover.ts";

/** What to remove against an exposure. */
export interface ExposureCut {
  /** Fields and rules that lead to the Secret. */
  readonly ways: number;
  /** The fewest things that have to go, all of them, each as a sentence. */
  readonly cuts: readonly string[];
  /** The same in one sentence. */
  readonly sentence: string;
}

/** A workload behind a Service that runs as a ServiceAccount and has its token. */
interface Runner {
  readonly workload: GraphNode;
  readonly edge: GraphEdge;
}

/** More than this is not worked through: the bindings are told, whether or not fewer things would do. */
const maxPairs = 10_000;
const toldInSentence = 3;
const hidden = "Something that is withheld";

/** Finds what to remove, so that a Secret cannot be read from behind a Service any more. */
export class ExposureCuts {
  readonly #asking: Asking;
  readonly #rights: SecretRights;
  readonly #owners: Owners;
  readonly #runners = new Map<Entry, readonly Runner[]>();

  constructor(asking: Asking, rights: SecretRights, owners: Owners) {
    this.#asking = asking;
    this.#rights = rights;
    this.#owners = owners;
  }

  /** Each field that gives the Secret to a pod has to go; of rights, the binding or the token, whichever are fewer. */
  of(entry: Entry, secret: GraphNode, ways: readonly SecretWay[]): ExposureCut {
    const fields = ways.filter(({ reach }) => reach === "given").flatMap(({ edges }) => edges.at(-1) ?? []);
    const rights = this.#rightsTo(entry, secret);
    const cuts = [
      ...fields.map((edge) => {
        const told = answerEdge(this.#asking, edge);
        return "withheld" in told ? hidden : told.sentence;
      }),
      ...rights.cuts,
    ];
    return { ways: fields.length + rights.rules, cuts, sentence: this.#sentence(entry, cuts) };
  }

  #sentence({ service }: Entry, cuts: readonly string[]): string {
    const [only] = cuts;
    if (only !== undefined && cuts.length === 1) return `${only}: without it there is no way.`;
    const told = cuts.slice(0, toldInSentence).join("; ");
    const more = cuts.length > toldInSentence ? `; and ${cuts.length - toldInSentence} more` : "";
    return `${cuts.length} things have to go: ${told}${more}. Or ${nodeText(this.#asking.graph, service)} must not be reached from outside.`;
  }

  #rightsTo(entry: Entry, secret: GraphNode): { readonly rules: number; readonly cuts: readonly string[] } {
    const { graph } = this.#asking;
    const runners = this.#runnersOf(entry);
    const [rules, bound] = [new Set<string>(), new Map<string, Grant>()];
    const pairs: [runner: number, binding: string][] = [];
    for (const [index, { edge }] of runners.entries()) {
      for (const grant of this.#rights.grantsOf(edge.to)) {
        if (!covers(grant, graph.ref(secret))) continue;
        const binding = `${nodeKey(grant.binding)} ${grant.subjectAt}`;
        rules.add(`${nodeKey(grant.binding)} ${nodeKey(grant.rule.role)} ${grant.rule.index}`);
        bound.set(binding, grant);
        pairs.push([index, binding]);
      }
    }
    const bindings = [...bound.keys()];
    const number = new Map(bindings.map((binding, index) => [binding, index]));
    const cover =
      pairs.length > maxPairs
        ? { first: new Set<number>(), second: new Set(bindings.keys()) }
        : vertexCover(pairs.map(([runner, binding]) => [runner, number.get(binding) ?? 0]));
    const cluster = graph.cluster(entry.service) ?? "";
    return {
      rules: rules.size,
      cuts: [
        ...[...bound.values()]
          .filter((_, index) => cover.second.has(index))
          .map((grant) => this.#bindingText(cluster, grant)),
        ...runners.filter((_, index) => cover.first.has(index)).map((runner) => this.#tokenText(runner)),
      ],
    };
  }

  #bindingText(cluster: string, { binding, subject, subjectAt }: Grant): string {
    if (isWithheld(refNode(this.#asking, cluster, binding))) return "A binding that is withheld";
    return `${refText(binding)} binds ${refText(subject)} (${subjectAt})`;
  }

  #tokenText({ workload, edge }: Runner): string {
    const { graph } = this.#asking;
    if (!maySee(this.#asking, workload) || !maySee(this.#asking, edge.to)) return hidden;
    return `${nodeText(graph, workload)} has a token of ${nodeText(graph, edge.to)}`;
  }

  /** Replicas of a workload are one: a field of its template gives all of them the token. */
  #runnersOf(entry: Entry): readonly Runner[] {
    const known = this.#runners.get(entry);
    if (known !== undefined) return known;
    const { graph } = this.#asking;
    const found = new Map<string, Runner>();
    for (const { to: pod } of entry.pods) {
      if (hasEnded(graph, pod)) continue;
      const workload = this.#owners.top(pod);
      for (const edge of graph.out(pod)) {
        if (edge.type !== "RUNS_AS" || !this.#rights.actsAs(edge)) continue;
        found.set(`${workload} ${edge.to}`, { workload, edge });
      }
    }
    const runners = [...found.values()];
    this.#runners.set(entry, runners);
    return runners;
  }
}
