import { asRecord, BowlineError, isRecord } from "@bowline/core";

/** The material of a template. */
export interface Scope {
  readonly values: Readonly<Record<string, unknown>>;
  readonly release: Release;
  /** Of the list that is walked through. */
  readonly item?: unknown;
}

/** An installation: its name becomes the name of its objects. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** Of Bowline; it is the tag of the image, where the values name none. */
  readonly version: string;
  /** Of the cluster, such as `1.20`: old ones have other versions of some kinds. The newest when not given. */
  readonly kubernetesVersion?: string;
}

/**
 * A piece of a template that stands for a value: once as a function, and once as an expression of Helm that gives the
 * same. Both are written side by side, in this file only, so that they can be compared.
 */
export class Expression {
  readonly helm: string;
  readonly evaluate: (scope: Scope) => unknown;

  constructor(helm: string, evaluate: (scope: Scope) => unknown) {
    this.helm = helm;
    this.evaluate = evaluate;
  }
}

type Operand = Expression | string | number;

/** The value at a path: `image.tag`. */
export function value(path: string): Expression {
  return new Expression(`$.Values.${path}`, ({ values }) => valueAt(values, path));
}

/** In a list that is walked through: the item at hand. */
export const item: Expression = new Expression("$item", (scope) => scope.item);

export const releaseName: Expression = new Expression("$.Release.Name", ({ release }) => release.name);
export const releaseNamespace: Expression = new Expression(
  "$.Release.Namespace",
  ({ release }) => release.namespace,
);
export const releaseVersion: Expression = new Expression(
  "$.Chart.AppVersion",
  ({ release }) => release.version,
);

/** Text with values in it, numbers below a million included: Helm writes larger ones with an exponent. */
export function text(parts: TemplateStringsArray, ...given: readonly Expression[]): Expression {
  const form = parts.map((part) => part.replaceAll("%", "%%")).join("%v");
  return new Expression(`(printf ${[JSON.stringify(form), ...given.map(operand)].join(" ")})`, (scope) =>
    parts.map((part, index) => part + shown(given[index]?.evaluate(scope) ?? "")).join(""),
  );
}

/** A whole number as text. */
export function digits(number: Expression): Expression {
  return new Expression(`(toString (int64 ${number.helm}))`, (scope) => shown(number.evaluate(scope)));
}

/** The first, unless it is empty. */
export function either(first: Expression, second: Expression): Expression {
  return new Expression(`(default ${second.helm} ${first.helm})`, (scope) => {
    const found = first.evaluate(scope);
    return isEmpty(found) ? second.evaluate(scope) : found;
  });
}

export function choose(condition: Expression, first: Expression, second: Expression): Expression {
  return new Expression(`(ternary ${second.helm} ${first.helm} (empty ${condition.helm}))`, (scope) =>
    (isEmpty(condition.evaluate(scope)) ? second : first).evaluate(scope),
  );
}

export function listOf(...items: readonly Operand[]): Expression {
  return new Expression(`(${["list", ...items.map(operand)].join(" ")})`, (scope) =>
    items.map((each) => evaluateOperand(each, scope)),
  );
}

export function concat(...lists: readonly Expression[]): Expression {
  return new Expression(`(${["concat", ...lists.map(operand)].join(" ")})`, (scope) =>
    lists.flatMap((list) => asList(list.evaluate(scope))),
  );
}

/** The fields of both maps; those of the second are stronger. */
export function mergeOf(first: Expression, second: Expression): Expression {
  return new Expression(`(merge (dict) ${second.helm} ${first.helm})`, (scope) => ({
    ...asRecord(first.evaluate(scope)),
    ...asRecord(second.evaluate(scope)),
  }));
}

/** The items with commas between, as settings of the server take a list. */
export function commaSeparated(list: Expression): Expression {
  return new Expression(`(join "," ${list.helm})`, (scope) =>
    asList(list.evaluate(scope)).map(shown).join(","),
  );
}

/** Of whole numbers. */
export function sum(...numbers: readonly Operand[]): Expression {
  return new Expression(`(${["add", ...numbers.map(operand)].join(" ")})`, (scope) =>
    numbers.reduce<number>((total, each) => total + Number(evaluateOperand(each, scope)), 0),
  );
}

/** Of whole numbers; a rest counts as one more. */
export function quotient(number: Expression, divisor: number): Expression {
  return new Expression(`(div (add ${number.helm} ${divisor - 1}) ${divisor})`, (scope) =>
    Math.ceil(Number(number.evaluate(scope)) / divisor),
  );
}

/** Three quarters of a size such as `512Mi` or `1Gi`, in MiB: the rest is for what is not in the heap of V8. */
export function threeQuartersInMiB(size: Expression): Expression {
  const amount = (unit: string): string => `(trimSuffix "${unit}" ${size.helm} | int64)`;
  return new Expression(
    `(ternary (mul ${amount("Gi")} 768) (div (mul ${amount("Mi")} 3) 4) (hasSuffix "Gi" ${size.helm}))`,
    (scope) => {
      const given = shown(size.evaluate(scope));
      const count = Number.parseInt(given, 10);
      return given.endsWith("Gi") ? count * 768 : Math.floor((count * 3) / 4);
    },
  );
}

export function not(condition: Expression): Expression {
  return new Expression(`(not ${condition.helm})`, (scope) => isEmpty(condition.evaluate(scope)));
}

export function all(...conditions: readonly Expression[]): Expression {
  return new Expression(`(${["and", ...conditions.map(operand)].join(" ")})`, (scope) =>
    conditions.every((each) => !isEmpty(each.evaluate(scope))),
  );
}

export function any(...conditions: readonly Expression[]): Expression {
  return new Expression(`(${["or", ...conditions.map(operand)].join(" ")})`, (scope) =>
    conditions.some((each) => !isEmpty(each.evaluate(scope))),
  );
}

export function moreThan(number: Expression, least: number): Expression {
  return new Expression(
    `(gt (int64 ${number.helm}) ${least})`,
    (scope) => Number(number.evaluate(scope)) > least,
  );
}

/** Whether the cluster is of Kubernetes `1.minor` or newer. */
export function kubernetesAtLeast(minor: number): Expression {
  return new Expression(
    `(semverCompare ">=1.${minor}-0" $.Capabilities.KubeVersion.Version)`,
    ({ release: { kubernetesVersion } }) =>
      kubernetesVersion === undefined || Number(kubernetesVersion.split(".")[1]) >= minor,
  );
}

/** As Go's templates have it: false, zero, nothing, and what has nothing in it. */
export function isEmpty(given: unknown): boolean {
  if (given === undefined || given === null || given === false || given === 0 || given === "") return true;
  return typeof given === "object" && Object.keys(given).length === 0;
}

export function asList(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [];
}

function operand(given: Operand): string {
  return given instanceof Expression ? given.helm : JSON.stringify(given);
}

function evaluateOperand(given: Operand, scope: Scope): unknown {
  return given instanceof Expression ? given.evaluate(scope) : given;
}

function shown(given: unknown): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}

/** Only the last step may lead to nothing: Helm stumbles over others too. */
function valueAt(values: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split(".").reduce<unknown>((parent, key) => {
    if (isRecord(parent)) return Object.hasOwn(parent, key) ? parent[key] : undefined;
    throw new BowlineError("Internal", `The values have nothing that ${path} could be in.`);
  }, values);
}
