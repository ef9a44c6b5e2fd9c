import type { ClusterGraph } from "../graph/cluster-graph.ts";
import type { NodeRef } from "../model/node.ts";
import { whoCan, type AccessHolder, type AccessHolders } from "../rbac/access.ts";
import type { Rbac } from "../rbac/rbac.ts";
import type { AccessRequest } from "../rbac/rule.ts";
import { userOf, userRef } from "../rbac/subject.ts";
import { answerGrant, type AnswerGrant } from "./answer-grant.ts";
import {
  answerNode,
  isWithheld,
  notObserved,
  refNode,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { podsAs, rbacKinds, rbacOf } from "./rbac-of.ts";
import { requestWarnings } from "./request-warnings.ts";

export interface WhoCanAnswer extends AnswerFrame {
  /** Whom bindings name. */
  readonly holders: readonly Holder[];
  /** ServiceAccounts that can, by themselves or by groups that they are in, and the pods that have a token of them. */
  readonly accounts: readonly AccountHolder[];
  /** People who become somebody that can. */
  readonly people: readonly PersonHolder[];
  /** What is odd about the request, such as names that nobody knows, or about the people. */
  readonly warnings: readonly string[];
}

export interface Holder {
  readonly cluster: string;
  readonly subject: AnswerNode;
  /** No rule is asked for: members of `system:masters` may do everything. */
  readonly isMaster?: true;
  readonly grants: readonly AnswerGrant[];
}

export interface AccountHolder {
  readonly account: AnswerNode;
  /** Through whom: itself, or a group. */
  readonly through: readonly NodeRef[];
  readonly pods: readonly AnswerNode[];
  readonly podCount: number;
}

/** Somebody who reaches a cluster as a user and groups of it. */
export interface Person {
  readonly cluster: string;
  /** Either of the two. */
  readonly user?: string;
  readonly group?: string;
  /** Name of what lets them. */
  readonly grant: string;
  /** What lets them has changed since the time that is asked about, and may have been another then. */
  readonly changedSince?: true;
  /** Missing where each of them has their own name. */
  readonly kubernetesUser?: string;
  readonly kubernetesGroups: readonly string[];
  /** The only namespaces they reach; missing for all. */
  readonly namespaces?: readonly string[];
}

export interface PersonHolder extends Person {
  readonly through: readonly NodeRef[];
}

export interface WhoCanOptions {
  readonly limit?: number | undefined;
  readonly people: readonly Person[];
  /** Whether the asker may know them; else they are counted as withheld. */
  readonly maySeePeople: boolean;
  /** What is to be known about them, a sentence each. */
  readonly warnings?: readonly string[] | undefined;
}

const grantsTold = 20;
const podsTold = 20;

/** Who may do something: in a namespace, or in any of them where the request has none. */
export function whoCanDo(asking: Asking, request: AccessRequest, options: WhoCanOptions): WhoCanAnswer {
  const { limit = 1_000, people, maySeePeople, warnings = [] } = options;
  const answers = [...asking.graph.entries()].map(
    ([cluster, own]) => new ClusterAnswer(asking, { cluster, own, rbac: rbacOf(own) }, request),
  );
  const holders = answers.flatMap((answer) => answer.holders);
  const accounts = answers.flatMap((answer) => answer.accounts);
  const granted = answers.flatMap((answer) => answer.peopleOf(people));
  const lists = [holders, accounts, granted];
  const hidden = answers.reduce((sum, answer) => sum + answer.withheld, 0);
  return {
    holders: holders.slice(0, limit),
    accounts: accounts.slice(0, limit),
    people: maySeePeople ? granted.slice(0, limit) : [],
    warnings: [...requestWarnings(asking, request), ...warnings],
    withheld: hidden + (maySeePeople ? 0 : granted.length),
    truncated: lists.some((list) => list.length > limit) || answers.some(({ isTruncated }) => isTruncated),
    notObserved: notObserved(asking, { kinds: new Set([...rbacKinds, "ServiceAccount", "Pod"]) }),
  };
}

interface ClusterRights {
  readonly cluster: string;
  readonly own: ClusterGraph;
  readonly rbac: Rbac;
}

/** The part of the answer that one cluster gives. */
class ClusterAnswer {
  readonly holders: Holder[] = [];
  readonly accounts: AccountHolder[] = [];
  withheld = 0;
  isTruncated = false;
  readonly #asking: Asking;
  readonly #rights: ClusterRights;
  readonly #request: AccessRequest;
  readonly #found: AccessHolders;

  constructor(asking: Asking, rights: ClusterRights, request: AccessRequest) {
    this.#asking = asking;
    this.#rights = rights;
    this.#request = request;
    this.#found = this.#whoCan(request);
    for (const holder of this.#found.list) this.#addHolder(holder);
    for (const node of rights.own.nodes("ServiceAccount")) this.#addAccount(node);
  }

  /** Of those who reach the cluster, the ones that become somebody who can. */
  peopleOf(people: readonly Person[]): PersonHolder[] {
    return people
      .filter(({ cluster }) => cluster === this.#rights.cluster)
      .flatMap((person): PersonHolder[] => {
        // Whoever comes by a group has a name of their own, which is not known here.
        const name = person.kubernetesUser ?? person.user;
        const user = userOf(userRef(name ?? ""), person.kubernetesGroups);
        const places = this.#placesOf(person);
        const reached = places?.filter((place) => this.#whoCan(place).of(user).length > 0);
        const through =
          places === undefined
            ? this.#found.of(user)
            : (reached ?? []).flatMap((place) => this.#whoCan(place).of(user));
        if (through.length === 0) return [];
        const namespaces = reached?.map((place) => ("namespace" in place ? (place.namespace ?? "") : ""));
        const subjects = new Map(through.map(({ subject }) => [`${subject.kind} ${subject.name}`, subject]));
        return [
          { ...person, ...(namespaces === undefined ? {} : { namespaces }), through: [...subjects.values()] },
        ];
      });
  }

  /** The requests that somebody may make who is held to namespaces; undefined for those who are not. */
  #placesOf({ namespaces }: Person): AccessRequest[] | undefined {
    const request = this.#request;
    if (namespaces === undefined || "nonResourceURL" in request) return undefined;
    if (request.namespace !== undefined) return namespaces.includes(request.namespace) ? [request] : [];
    return namespaces.map((namespace) => ({ ...request, namespace }));
  }

  /** A request without a namespace is about any of them; one with an empty namespace about the cluster. */
  #whoCan(request: AccessRequest): AccessHolders {
    const isAnywhere = !("nonResourceURL" in request) && request.namespace === undefined;
    return whoCan(this.#rights.rbac, request, isAnywhere ? "anywhere" : undefined);
  }

  #addHolder({ subject, grants }: AccessHolder): void {
    const { cluster, rbac } = this.#rights;
    const told = grants
      .slice(0, grantsTold)
      .flatMap((grant) => answerGrant(this.#asking, cluster, rbac, grant) ?? []);
    if (grants.length > grantsTold) this.isTruncated = true;
    this.withheld += Math.min(grants.length, grantsTold) - told.length;
    // Somebody whom only bindings elsewhere name is withheld with them.
    if (told.length === 0 && grants.length > 0) return;
    const isMaster = grants.length === 0;
    const seen = subject.kind === "ServiceAccount" ? refNode(this.#asking, cluster, subject) : subject;
    if (isWithheld(seen)) this.withheld += 1;
    this.holders.push({ cluster, subject: seen, ...(isMaster ? { isMaster } : {}), grants: told });
  }

  #addAccount(node: number): void {
    const { cluster, own } = this.#rights;
    const holders = this.#found.of(userOf(own.ref(node)));
    if (holders.length === 0) return;
    const { graph } = this.#asking;
    const account = answerNode(this.#asking, graph.nodeIn(cluster, node));
    if (isWithheld(account)) {
      this.withheld += 1;
      return;
    }
    const pods = podsAs(own, node);
    if (pods.length > podsTold) this.isTruncated = true;
    this.accounts.push({
      account,
      through: holders.map(({ subject }) => subject),
      pods: pods.slice(0, podsTold).map((pod) => answerNode(this.#asking, graph.nodeIn(cluster, pod))),
      podCount: pods.length,
    });
  }
}
