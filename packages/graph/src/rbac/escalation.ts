import { nodeKey, type NodeRef } from "../model/node.ts";
import { compareNodes } from "./access.ts";
import { HeldRights, type EscalationStep, type HeldRight } from "./escalation-step.ts";
import type { Rbac } from "./rbac.ts";
import { rightsOf } from "./rights.ts";
import { RoleWays, type RightsInReach } from "./role-ways.ts";
import { SubjectWays, type KnownAccounts, type SubjectsInReach } from "./subject-ways.ts";
import { mastersGroup, subjectKey, userOf, type UserInfo } from "./subject.ts";

/** Somebody who was reached, and all that is needed to look further from there. */
interface Actor {
  readonly subject: NodeRef;
  readonly user: UserInfo;
  readonly rights: HeldRight[];
  /** By steps of the last look around; they count from the next. */
  readonly gains: HeldRight[];
  /** What was gained, so that nothing is gained twice. */
  readonly gained: Set<string>;
  /** Absent for the one who begins. */
  readonly step: EscalationStep | undefined;
}

/** What other walks have found out. */
export interface KnownPower {
  /** Nobody behind them may do everything: they need no look. */
  readonly powerless: { has(key: string): boolean };
  /** Somebody behind them may. */
  readonly powerful: { has(key: string): boolean };
}

const nothingKnown: KnownPower = { powerless: new Set(), powerful: new Set() };

/** What members of `system:masters` have. */
const noRule: HeldRight = { right: "everything", namespace: "", names: [] };

/** One walk from somebody to all whom they can become. */
export class Escalation {
  readonly #rbac: Rbac;
  readonly #subjectWays: SubjectWays;
  readonly #roleWays: RoleWays;
  readonly #known: KnownPower;
  readonly #actors = new Map<string, Actor>();
  readonly #steps: EscalationStep[] = [];
  readonly #queue: Actor[] = [];
  /** Sets of subjects that were reached as a whole. */
  readonly #done = new Set<string>();
  #master: Actor | undefined;

  constructor(rbac: Rbac, accounts: KnownAccounts, known: KnownPower = nothingKnown) {
    this.#rbac = rbac;
    this.#subjectWays = new SubjectWays(rbac, accounts);
    this.#roleWays = new RoleWays(rbac, [...accounts.keys()]);
    this.#known = known;
  }

  /** Until nobody new is found, or somebody who may do everything. */
  walk(subject: NodeRef, user: UserInfo): void {
    this.#reach(subject, user, undefined);
    for (let actor = this.#queue.shift(); actor && !this.#master; actor = this.#queue.shift()) {
      this.#act(actor);
    }
  }

  /** Whoever may do everything can become everybody: said once for each, without walking on from them. */
  reachEverybody(): void {
    const master = this.#master;
    if (!master) return;
    const rights = [wholeRight(master) ?? noRule];
    const subjects = (): NodeRef[] => this.#subjectWays.everybody;
    this.#reachAll(master, { way: "impersonate", rights, within: [], subjects });
  }

  get steps(): readonly EscalationStep[] {
    return this.#steps;
  }

  /** Keys of all who were reached. */
  get reached(): Iterable<string> {
    return this.#actors.keys();
  }

  /** Who may do everything in the cluster, of those that were reached, or is known to get there. */
  get master(): NodeRef | undefined {
    return this.#master?.subject;
  }

  /** How a subject is reached, step by step. */
  pathTo(subject: NodeRef): EscalationStep[] {
    const path = new Set<EscalationStep>();
    const actor = this.#actors.get(subjectKey(subject));
    if (actor?.step) this.#addStep(path, actor.step);
    // Who may do everything may have got there by something they did for themselves.
    const whole = actor && actor === this.#master ? wholeRight(actor)?.since : undefined;
    if (whole) this.#addStep(path, whole);
    return [...path];
  }

  #addStep(path: Set<EscalationStep>, step: EscalationStep): void {
    const { step: before } = this.#actors.get(subjectKey(step.from)) ?? {};
    if (before) this.#addStep(path, before);
    for (const { since } of step.rights) if (since) this.#addStep(path, since);
    path.add(step);
  }

  #act(actor: Actor): void {
    actor.rights.push(...actor.gains.splice(0));
    if (isMaster(actor) || this.#known.powerful.has(subjectKey(actor.subject))) {
      this.#master = actor;
      return;
    }
    const rights = new HeldRights(actor.rights);
    for (const found of this.#subjectWays.from(rights)) this.#reachAll(actor, found);
    for (const found of this.#roleWays.from(rights, actor.user)) this.#gain(actor, found);
  }

  #reachAll(actor: Actor, { way, rights, within, subjects }: SubjectsInReach): void {
    if (within.some((each) => this.#done.has(each))) return;
    const [own = ""] = within;
    if (own !== "") this.#done.add(own);
    for (const subject of subjects()) {
      const key = subjectKey(subject);
      if (this.#actors.has(key) || this.#known.powerless.has(key)) continue;
      const step = { from: actor.subject, way, to: { type: "subject", subject }, rights } as const;
      this.#steps.push(step);
      this.#reach(subject, userOf(subject), step);
    }
  }

  #gain(actor: Actor, { way, rights, to, gains }: RightsInReach): void {
    const key = targetKey(to);
    if (actor.gained.has(key)) return;
    actor.gained.add(key);
    const step = { from: actor.subject, way, to, rights };
    this.#steps.push(step);
    if (gains.length === 0) return;
    if (actor.gains.length === 0) this.#queue.push(actor);
    actor.gains.push(...gains.map((each) => ({ ...each, since: step })));
  }

  #reach(subject: NodeRef, user: UserInfo, step: EscalationStep | undefined): void {
    const actor: Actor = { subject, user, rights: [], gains: [], gained: new Set(), step };
    const bindings = [...this.#rbac.bindingsTo(user)].map(([each]) => each);
    for (const each of bindings.sort((one, other) => compareNodes(one.node, other.node))) {
      const { node: binding } = each;
      const role = this.#rbac.roleOf(each);
      for (const { right, index, names } of role ? rightsOf(role) : []) {
        const rule = role && { role: role.node, index, at: `/rules/${index}` };
        actor.rights.push({ right, namespace: binding.namespace, names, rule, binding });
      }
    }
    this.#actors.set(subjectKey(subject), actor);
    this.#queue.push(actor);
  }
}

function targetKey(to: RightsInReach["to"]): string {
  return to.type === "role" ? `${nodeKey(to.role)} ${to.namespace}` : `everything ${to.namespace}`;
}

function isMaster(actor: Actor): boolean {
  return actor.user.groups.includes(mastersGroup) || wholeRight(actor) !== undefined;
}

function wholeRight({ rights }: Actor): HeldRight | undefined {
  return rights.find(({ right, namespace }) => right === "everything" && namespace === "");
}
