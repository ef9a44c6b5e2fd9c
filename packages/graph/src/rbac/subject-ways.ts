import type { NodeRef } from "../model/node.ts";
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
  readonly subjects: readonly NodeRef[];
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
    return [...this.#named("User", []), ...this.#named("Group", []), ...this.#accountsIn("", () => true)];
  }

  *#accountsBy(rights: HeldRights): Generator<SubjectsInReach> {
    for (const each of rights.all) {
      const { way, named, isOfCluster } = accountWays[each.right] ?? {};
      if (!way || (isOfCluster && each.namespace !== "")) continue;
      const isWanted = (account: KnownAccount): boolean => {
        if (way === "enterPod" || way === "enterNode") return runs(account, named ? each.names : []);
        return named === undefined || each.names.length === 0 || each.names.includes(account.name);
      };
      yield { way, rights: [each], subjects: this.#accountsIn(each.namespace, isWanted) };
    }
    for (const both of pairs(rights.of("createSecrets"), rights.of("readSecrets"))) {
      yield { way: "tokenSecret", rights: both, subjects: this.#accountsIn(placeOf(both), () => true) };
    }
  }

  *#impersonated(rights: HeldRights): Generator<SubjectsInReach> {
    const users = rights.inCluster("impersonateUsers");
    for (const each of users) {
      yield { way: "impersonate", rights: [each], subjects: this.#named("User", each.names) };
    }
    // A request that says which groups it is of has to say which user, too.
    const [whom] = [...users, ...rights.of("impersonateAccounts")];
    for (const each of whom ? rights.inCluster("impersonateGroups") : []) {
      const subjects = this.#named("Group", each.names);
      yield { way: "impersonate", rights: whom ? [each, whom] : [each], subjects };
    }
  }

  *#certified(rights: HeldRights): Generator<SubjectsInReach> {
    const [ask] = rights.inCluster("createCertificates");
    const [approve] = rights.inCluster("approveCertificates");
    const signer = rights
      .inCluster("approveSigners")
      .find(({ names }) => names.length === 0 || clientSigner.some((each) => names.includes(each)));
    if (!ask || !approve || !signer) return;
    const groups = this.#named("Group", []).filter(({ name }) => name !== mastersGroup);
    yield {
      way: "certificate",
      rights: [ask, approve, signer],
      subjects: [...this.#named("User", []), ...groups],
    };
  }

  /** Users or groups: those with the names or, without names, all that bindings speak of. */
  #named(kind: "User" | "Group", names: readonly string[]): NodeRef[] {
    const make = kind === "User" ? userRef : groupRef;
    if (names.length > 0) return names.map((each) => make(each));
    const bound = this.#rbac.subjects().filter((each) => each.kind === kind);
    return kind === "Group" ? [groupRef(mastersGroup), ...bound] : [...bound];
  }

  #accountsIn(namespace: string, isWanted: (account: KnownAccount) => boolean): NodeRef[] {
    const places = namespace === "" ? [...this.#accounts.keys()] : [namespace];
    return places.flatMap((place) =>
      (this.#accounts.get(place) ?? [])
        .filter((each) => isWanted(each))
        .map(({ name }) => accountRef(place, name)),
    );
  }
}

/** Whether one of the pods runs as the account; without names, whether any does. */
function runs({ pods }: KnownAccount, names: readonly string[]): boolean {
  if (pods === undefined) return true;
  return names.length === 0 ? pods.length > 0 : names.some((each) => pods.includes(each));
}
