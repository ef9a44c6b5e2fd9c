import { isRecord } from "@bowline/core";

/** A limit of one value, in words of JSON Schema. What is not there keeps every limit, as in JSON Schema. */
interface Limit {
  readonly const?: string | boolean;
  readonly enum?: readonly string[];
  readonly not?: Limit;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly propertyNames?: Limit;
}

/** Where all values are within the limits of `given`, those of `must` hold too. */
interface ValueRule {
  readonly given: Readonly<Record<string, Limit>>;
  readonly must: Readonly<Record<string, Limit>>;
  /** The value that is wrong, and how it is to be: "replicas must be …". */
  readonly path: string;
  readonly message: string;
}

const isSet: Limit = { minLength: 1 };
const isEmpty: Limit = { maxLength: 0 };

/** Labels that tell the objects of an installation apart. */
const ownLabels: readonly string[] = [
  "app.kubernetes.io/component",
  "app.kubernetes.io/instance",
  "app.kubernetes.io/name",
  "app.kubernetes.io/part-of",
  "app.kubernetes.io/version",
];

/** The rules about several values: once, for this program and for the JSON schema that Helm reads. */
const valueRules: readonly ValueRule[] = [
  {
    given: { replicas: { minimum: 2 } },
    must: { "database.postgres.existingSecret": isSet },
    path: "replicas",
    message:
      "must be 1 with SQLite, which serves one process only; name a Secret with the address of a PostgreSQL in database.postgres.existingSecret to run more",
  },
  {
    given: { "database.postgres.existingSecret": isSet },
    must: { "encryption.existingSecret": isSet },
    path: "encryption.existingSecret",
    message:
      "is required with PostgreSQL, because nothing else in the pods lasts; make the keys with bowline server keys new, and a Secret of them",
  },
  {
    given: { "ingress.enabled": { const: true } },
    must: { "ingress.host": isSet },
    path: "ingress.host",
    message: "is required: without it the Ingress would take every host",
  },
  {
    given: { "gateway.enabled": { const: true } },
    must: { "gateway.host": isSet },
    path: "gateway.host",
    message: "is required: without it the TLSRoute would take every host",
  },
  {
    given: { "gateway.enabled": { const: true } },
    must: { "gateway.parentRef.name": isSet },
    path: "gateway.parentRef.name",
    message: "is required: a TLSRoute belongs to a Gateway",
  },
  {
    given: { "tls.existingSecret": isSet },
    must: { "tls.certManager.issuerRef.name": isEmpty },
    path: "tls.existingSecret",
    message:
      "is of no use with tls.certManager.issuerRef.name, which makes a Secret itself; leave one of them out",
  },
  ...["nats.credentialsKey", "nats.caKey"].map((path) => ({
    given: { [path]: isSet },
    must: { "nats.existingSecret": isSet },
    path,
    message: "is a key of the Secret that nats.existingSecret names",
  })),
  ...["tls.names", "tls.addresses"].map((path) => ({
    given: { "tls.existingSecret": isSet },
    must: { [path]: { maxItems: 0 } },
    path,
    message: "is for certificates that are made, but tls.existingSecret names one; leave one of them out",
  })),
  {
    given: {
      "serviceMonitor.enabled": { const: true },
      "settings.metrics.access": { not: { const: "anybody" } },
    },
    must: { "serviceMonitor.tokenSecret.name": isSet },
    path: "serviceMonitor.tokenSecret.name",
    message:
      "is required, because /metrics needs a token: make one with bowline token create, or let anybody read with settings.metrics.access",
  },
  {
    given: { "service.nodePort": { minimum: 1 } },
    must: { "service.type": { enum: ["NodePort", "LoadBalancer"] } },
    path: "service.nodePort",
    message: "is for a Service of type NodePort or LoadBalancer",
  },
  ...[
    { path: "service.loadBalancerClass", limit: isSet },
    { path: "service.loadBalancerSourceRanges", limit: { minItems: 1 } },
  ].map(({ path, limit }) => ({
    given: { [path]: limit },
    must: { "service.type": { const: "LoadBalancer" } },
    path,
    message: "is for a Service of type LoadBalancer",
  })),
  ...["labels", "podLabels", "serviceMonitor.labels"].map((path) => ({
    given: {},
    must: { [path]: { propertyNames: { not: { enum: ownLabels } } } },
    path,
    message: `must have none of ${ownLabels.join(", ")}, by which the objects of an installation are told apart`,
  })),
];

/** Everything that the rules say about values. */
export function brokenRules(values: unknown): { readonly path: string; readonly message: string }[] {
  const holds = (limits: Readonly<Record<string, Limit>>): boolean =>
    Object.entries(limits).every(([path, limit]) => isWithin(limit, valueAt(values, path)));
  return valueRules
    .filter(({ given, must }) => holds(given) && !holds(must))
    .map(({ path, message }) => ({ path, message }));
}

/** The rules as JSON Schema has them. */
export function ruleSchemas(): object[] {
  return valueRules.map(({ given, must, path, message }) => ({
    $comment: `${path} ${message}.`,
    ...(Object.keys(given).length === 0 ? schemaOf(must) : implication(schemaOf(given), schemaOf(must))),
  }));
}

function implication(given: object, must: object): object {
  return Object.fromEntries(new Map([["if", given]]).set("then", must));
}

function schemaOf(limits: Readonly<Record<string, Limit>>): object {
  const schemas = Object.entries(limits).map(([path, limit]) =>
    path.split(".").reduceRight<object>((inner, key) => ({ properties: { [key]: inner } }), limit),
  );
  return schemas.length === 1 ? (schemas[0] ?? {}) : { allOf: schemas };
}

function isWithin(limit: Limit, value: unknown): boolean {
  if (value === undefined) return true;
  const { not, propertyNames } = limit;
  return (
    (limit.const === undefined || value === limit.const) &&
    (limit.enum === undefined || limit.enum.some((each) => each === value)) &&
    (not === undefined || !isWithin(not, value)) &&
    (propertyNames === undefined || Object.keys(value ?? {}).every((key) => isWithin(propertyNames, key))) &&
    (typeof value !== "number" || value >= (limit.minimum ?? value)) &&
    (typeof value !== "string" || isCount(value.length, limit.minLength, limit.maxLength)) &&
    (!Array.isArray(value) || isCount(value.length, limit.minItems, limit.maxItems))
  );
}

function isCount(count: number, least = 0, most = Number.POSITIVE_INFINITY): boolean {
  return count >= least && count <= most;
}

function valueAt(values: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((parent, key) => (isRecord(parent) ? parent[key] : undefined), values);
}
