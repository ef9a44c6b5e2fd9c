import type { NodeRef } from "../model/node.ts";
import { compareNodes } from "./access.ts";
import { pairs, placeOf, type HeldRight, type HeldRights, type Way } from "./escalation-step.ts";
import type { Rbac } from "./rbac.ts";
import type { RightName } from "./rights.ts";
import { accountRef, groupRef, mastersGroup, userRef } from "./subject.ts";

/** A ServiceAccount, and the pods that run as it; where pods were not looked at, it is taken for granted that some do. */
export interface KnownAccount {
  readonly name: string;
  readonly pods?: readonly string[] | undefined;
}

/** By namespace. */
export type KnownAccounts = ReadonlyMap<string, readonly KnownAccount[]>;

/** Others whom somebody can become at once. */
export interface SubjectsInReach {
  readonly way: Way;
  readonly rights: readonly HeldRight[];
  /** Names of a set that all of them are in, the narrowest first: whoever has reached one of these needs no look. */
  readonly within: readonly string[];
  readonly subjects: () => readonly NodeRef[];
}

interface AccountWay {
  readonly way: Way;
  /** What the names of a rule are names of. */
  readonly named?: "accounts" | "pods";
  readonly isOfCluster?: true;
}

const accountWays: Readonly<Partial<Record<RightName, AccountWay>>> = {
  impersonateAccounts: { way: "impersonate", named: "accounts" },
  createTokens: { way: "token", named: "accounts" },
  createPods: { way: "runPod" },
  createApps: { way: "runPod" },
  createJobs: { way: "runPod" },
  changeApps: { way: "runPod" },
  changeCronJobs: { way: "runPod" },
  execPods: { way: "enterPod", named: "pods" },
  changePods: { way: "enterPod", named: "pods" },
  // Its names are those of nodes.
  proxyNodes: { way: "enterNode", isOfCluster: true },
};

/** An admission plugin of Kubernetes lets it sign for everybody but `system:masters`. */
const clientSigner = ["kubernetes.io/kube-apiserver-client", "kubernetes.io/*"];

/** Whom somebody with these rights can become. */
export class SubjectWays {
  readonly #rbac: Rbac;
  readonly #accounts: KnownAccounts;

  constructor(rbac: Rbac, accounts: KnownAccounts) {
    this.#rbac = rbac;
    this.#accounts = accounts;
  }

  *from(rights: HeldRights): Generator<SubjectsInReach> {
    yield* this.#accountsBy(rights);
    yield* this.#impersonated(rights);
    yield* this.#certified(rights);
  }

  /** Users, groups and ServiceAccounts, as far as anything speaks of them. */
  get everybody(): NodeRef[] {
    return [...this.#named("User", []), ...this.#named("Group", []), ...this.#accountsIn("")];
  }

  *#accountsBy(rights: HeldRights): Generator<SubjectsInReach> {
    for (const each of rights.all) {
      const { way, named, isOfCluster } = accountWays[each.right] ?? {};
      if (!way || (isOfCluster && each.namespace !== "")) continue;
      const { namespace } = each;
      const names = named ? each.names : [];
      const isOfPods = way === "enterPod" || way === "enterNode";
      const isWanted = (account: KnownAccount): boolean =>
        isOfPods ? runs(account, names) : names.length === 0 || names.includes(account.name);
      const wider = [...(isOfPods ? scopes("pods", namespace) : []), ...scopes("accounts", namespace)];
      const within = names.length === 0 ? wider : ["", ...wider];
      yield { way, rights: [each], within, subjects: () => this.#accountsIn(namespace, isWanted) };
    }
    for (const both of pairs(rights.of("createSecrets"), rights.of("readSecrets"))) {
      const place = placeOf(both);
      const within = scopes("accounts", place);
      yield { way: "tokenSecret", rights: both, within, subjects: () => this.#accountsIn(place) };
    }
  }

  *#impersonated(rights: HeldRights): Generator<SubjectsInReach> {
    const way = "impersonate";
    const users = rights.inCluster("impersonateUsers");
    for (const each of users) {
      const within = each.names.length === 0 ? ["users"] : ["", "users"];
      yield { way, rights: [each], within, subjects: () => this.#named("User", each.names) };
    }
    // A request that says which groups it is of has to say which user, too.
    const [whom] = [...users, ...rights.of("impersonateAccounts")];
    if (!whom) return;
    for (const each of rights.inCluster("impersonateGroups")) {
      const within = each.names.length === 0 ? ["groups"] : ["", "groups"];
      yield { way, rights: [each, whom], within, subjects: () => this.#named("Group", each.names) };
    }
  }

  *#certified(rights: HeldRights): Generator<SubjectsInReach> {
    const [ask] = rights.inCluster("createCertificates");
    const [approve] = rights.inCluster("approveCertificates");
    const signer = rights
      .inCluster("approveSigners")
      .find(({ names }) => names.length === 0 || clientSigner.some((each) => names.includes(each)));
    if (!ask || !approve || !signer) return;
    const subjects = (): NodeRef[] => {
      const groups = this.#named("Group", []).filter(({ name }) => name !== mastersGroup);
      return [...this.#named("User", []), ...groups];
    };
    yield { way: "certificate", rights: [ask, approve, signer], within: ["certified"], subjects };
  }

  /** Users or groups: those with the names or, without names, all that bindings speak of. */
  #named(kind: "User" | "Group", names: readonly string[]): readonly NodeRef[] {
    const make = kind === "User" ? userRef : groupRef;
    if (names.length > 0) return names.map((each) => make(each));
    const bound = this.#rbac.subjects().filter((each) => each.kind === kind);
    const masters = groupRef(mastersGroup);
    const others = [...bound]
      .filter(({ name }) => kind === "User" || name !== masters.name)
      .sort(compareNodes);
    return kind === "Group" ? [masters, ...others] : others;
  }

  #accountsIn(namespace: string, isWanted: (account: KnownAccount) => boolean = () => true): NodeRef[] {
    const places = namespace === "" ? [...this.#accounts.keys()] : [namespace];
    return places.flatMap((place) =>
      (this.#accounts.get(place) ?? [])
        .filter((each) => isWanted(each))
        .map(({ name }) => accountRef(place, name)),
    );
  }
}

/** Those of a namespace are within those of all. */
function scopes(name: string, namespace: string): string[] {
  return namespace === "" ? [`${name} of all`] : [`${name} of ${namespace}/`, `${name} of all`];
}

/** Whether one of the pods runs as the account; without names, whether any does. */
function runs({ pods }: KnownAccount, names: readonly string[]): boolean {
  if (pods === undefined) return true;
  return names.length === 0 ? pods.length > 0 : names.some((each) => pods.includes(each));
}
