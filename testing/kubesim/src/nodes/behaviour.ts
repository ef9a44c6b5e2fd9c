import type { Container, Pod } from "../controllers/kinds/pod.ts";
import { hasLabels } from "../controllers/label-selector.ts";
import { controllerOf } from "../controllers/owner-references.ts";

/**
 * How the containers of a pod behave:
 * - `run`: they start, get ready and stay;
 * - `crash-loop`, `fail`: they end with an exit code other than 0 after `runSeconds`;
 * - `oom`: they are killed for using too much memory after `runSeconds`;
 * - `succeed`: they end well after `runSeconds`;
 * - `image-pull-error`: their image cannot be had;
 * - `never-ready`: they run but never get ready;
 * - `slow-start`: they run but get ready only after `startSeconds`.
 */
type BehaviourKind =
  | "run"
  | "crash-loop"
  | "fail"
  | "oom"
  | "succeed"
  | "image-pull-error"
  | "never-ready"
  | "slow-start";

export interface PodBehaviour {
  readonly kind: BehaviourKind;
  /** Only this container behaves so, the others run. Init containers do so only when they are named. */
  readonly container?: string;
  readonly exitCode?: number;
  readonly runSeconds?: number;
  readonly startSeconds?: number;
}

/** Which pods a rule is for: all that is given must match. */
export interface PodMatcher {
  readonly namespace?: string;
  readonly name?: string | RegExp;
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
  /** The image of one of its containers, as its manifest has it. */
  readonly image?: string | RegExp;
}

const annotationPrefix = "kubesim.bowline.dev/";
const kinds: ReadonlySet<string> = new Set<BehaviourKind>([
  "run",
  "crash-loop",
  "fail",
  "oom",
  "succeed",
  "image-pull-error",
  "never-ready",
  "slow-start",
]);

const running: PodBehaviour = { kind: "run" };

interface Rule {
  readonly matcher: PodMatcher;
  readonly behaviour: PodBehaviour;
}

/** Knows how every pod behaves: by the latest rule that matches it, else by its annotations, else by what owns it. */
export class Behaviours {
  readonly #jobDefault: PodBehaviour;
  #rules: readonly Rule[] = [];

  constructor(jobRunSeconds: number) {
    this.#jobDefault = { kind: "succeed", runSeconds: jobRunSeconds };
  }

  /** Adds a rule; the function takes it away again. */
  add(matcher: PodMatcher, behaviour: PodBehaviour): () => void {
    const rule = { matcher, behaviour };
    this.#rules = [rule, ...this.#rules];
    return () => {
      this.#rules = this.#rules.filter((each) => each !== rule);
    };
  }

  of(pod: Pod): PodBehaviour {
    const rule = this.#rules.find(({ matcher }) => matchesPod(matcher, pod));
    if (rule !== undefined) return rule.behaviour;
    return annotatedBehaviour(pod) ?? (controllerOf(pod)?.kind === "Job" ? this.#jobDefault : running);
  }
}

/** What a container does by its pod's behaviour. */
export function behaviourOf(container: Container, isInit: boolean, behaviour: PodBehaviour): PodBehaviour {
  if (behaviour.container === undefined ? !isInit : behaviour.container === container.name) return behaviour;
  return isInit ? { kind: "succeed", runSeconds: 0 } : running;
}

export function matchesPod(matcher: PodMatcher, pod: Pod): boolean {
  const { name, namespace, labels } = pod.metadata;
  return (
    (matcher.namespace === undefined || matcher.namespace === namespace) &&
    (matcher.node === undefined || matcher.node === pod.spec.nodeName) &&
    matchesName(matcher.name, name) &&
    hasLabels(matcher.labels, labels) &&
    (matcher.image === undefined ||
      pod.spec.containers.some(({ image = "" }) => matchesName(matcher.image, image)))
  );
}

function matchesName(wanted: string | RegExp | undefined, name: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? wanted === name : wanted.test(name);
}

function annotatedBehaviour(pod: Pod): PodBehaviour | undefined {
  const { annotations } = pod.metadata;
  const kind = annotations?.[`${annotationPrefix}behaviour`];
  if (annotations === undefined || kind === undefined || !isKind(kind)) return undefined;
  const container = annotations[`${annotationPrefix}container`];
  return {
    kind,
    ...(container === undefined ? {} : { container }),
    ...number(annotations, "exit-code", "exitCode"),
    ...number(annotations, "run-seconds", "runSeconds"),
    ...number(annotations, "start-seconds", "startSeconds"),
  };
}

function isKind(text: string): text is BehaviourKind {
  return kinds.has(text);
}

function number(
  annotations: Readonly<Record<string, string>>,
  annotation: string,
  field: "exitCode" | "runSeconds" | "startSeconds",
): Partial<PodBehaviour> {
  const value = Number(annotations[`${annotationPrefix}${annotation}`]);
  return Number.isFinite(value) ? { [field]: value } : {};
}
