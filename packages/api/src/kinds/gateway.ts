import type { Static } from "typebox";

import { statusOf } from "../bodies/status.ts";
import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import {
  choice,
  dateTime,
  flag,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, singleLine } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";
import { author, deleter } from "./author.ts";
import { hostConflict } from "./host-ownership.ts";
import { hostName, kubernetesName, pathPrefix, plainPath } from "./host-rules.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"] as const;

const rule = object("Requests that go to a service.", {
  path: withDefault(text("The beginning of their path, in whole elements.", pathPrefix), "/"),
  methods: optional(
    list("Their methods; missing for all.", choice("A method.", [...methods]), {
      minItems: 1,
      maxItems: methods.length,
      unique: true,
    }),
  ),
  service: text("Name of the Service, in the namespace of the instance.", dnsLabel),
  port: integer("The port of the Service.", { minimum: 1, maximum: 65_535 }),
});

const tls = object("How connections are encrypted.", {
  mode: withDefault(
    choice(
      "Where they are decrypted: at the entry (terminate), by the service itself (passthrough), or nowhere, because they are not encrypted.",
      ["terminate", "passthrough", "none"],
    ),
    "terminate",
  ),
  certificate: optional(
    choice(
      "Where the certificate comes from, for terminate: auto takes cert-manager where the cluster has it and else makes one itself; secret is one that somebody keeps; selfSigned is made by Bowline. auto if missing.",
      ["auto", "secret", "selfSigned"],
    ),
  ),
  secret: optional(text("Name of the Secret, in the namespace of the instance.", kubernetesName)),
  issuer: optional(
    text("Name of the ClusterIssuer of cert-manager, for auto; missing for the only one.", kubernetesName),
  ),
  redirect: optional(
    flag("Whether plain HTTP is answered with a redirect to HTTPS, for terminate; true if missing."),
  ),
});

/** A route of Kubernetes has no more. */
const maxHosts = 16;

const spec = object("Which workload answers under which host names.", {
  instance: text("Name of the WorkloadInstance.", dnsLabel),
  clusters: optional(
    list(
      "Names of Clusters; missing for all that the instance is placed on.",
      text("Name of a Cluster.", dnsLabel),
      { minItems: 1, maxItems: 500, unique: true },
    ),
  ),
  hosts: list(
    "The host names; no other Gateway has the same there, with the same path.",
    text("A host name.", hostName),
    {
      minItems: 1,
      maxItems: maxHosts,
      unique: true,
    },
  ),
  rules: list("Where requests go; the longest path that fits counts.", rule, { minItems: 1, maxItems: 16 }),
  tls: withDefault(tls, { mode: "terminate" }),
  class: optional(text("Name of the GatewayClass; missing for that of the cluster.", kubernetesName)),
  visibility: withDefault(
    choice("Which of the shared entries of a cluster it uses.", ["public", "internal"]),
    "public",
  ),
  probe: withDefault(flag("Whether the server asks the hosts itself, to tell that they answer."), true),
});
export type GatewaySpec = Static<typeof spec>;

/** What has to be so for a host to answer, in the order in which one needs the other. */
const gatewayChecks = ["Class", "Certificate", "Listener", "Route", "Record", "Reachable"] as const;

const statuses = ["True", "False", "Unknown"] as const;

const check = object("One of the things that have to be so.", {
  type: choice("What it is about.", [...gatewayChecks]),
  status: choice("Whether it is so.", [...statuses]),
  reason: line("Why, as one word for programs.", singleLine, 128),
  message: text("Why, for people, with the object to look at.", { maxLength: 1024 }),
});

const clusterStatus = object("How it does in one cluster.", {
  cluster: text("Name of the Cluster.", dnsLabel),
  ready: choice("Whether its hosts answer there.", [...statuses]),
  reason: line("Why, as one word for programs.", singleLine, 128),
  message: text("Why, for people.", { maxLength: 1024 }),
  leavingSince: optional(dateTime("Since when it is leaving that cluster; missing where it stays.")),
  class: optional(text("The GatewayClass that it uses.", kubernetesName)),
  addresses: withDefault(
    list("Under which addresses the entry is reached.", line("An address.", singleLine), { maxItems: 16 }),
    [],
  ),
  certificateNotAfter: optional(dateTime("When the first of its certificates ends.")),
  services: optional(
    list(
      "WorkloadInstances of Bowline that it needs there beside its own; each stays as long as any Gateway names it here.",
      text("Name of a WorkloadInstance.", dnsLabel),
      { minItems: 1, maxItems: 8, unique: true },
    ),
  ),
  checks: withDefault(
    list("What was found, in the order in which one needs the other.", check, {
      maxItems: gatewayChecks.length,
      uniqueBy: "type",
    }),
    [],
  ),
});

const routedHost = object("A host that has routes.", {
  host: text("The host name.", hostName),
  leavingSince: optional(dateTime("Since when it is in spec.hosts no more.")),
});

const count = { minimum: 0, maximum: 1_000 };

const status = statusOf({
  author: optional(author),
  deletedBy: optional(deleter),
  hosts: optional(
    list(
      "The hosts that have routes: those of spec.hosts and, for a minute at most, those taken out of it whose DNS records are still there.",
      routedHost,
      { maxItems: maxHosts, uniqueBy: "host" },
    ),
  ),
  clusters: withDefault(
    list("How it does in each cluster, those in trouble first.", clusterStatus, {
      maxItems: 500,
      uniqueBy: "cluster",
    }),
    [],
  ),
  clusterCount: withDefault(integer("In how many clusters it is.", count), 0),
  readyCount: withDefault(integer("In how many of them its hosts answer.", count), 0),
});

export const Gateway = defineKind({
  kind: "Gateway",
  plural: "gateways",
  shortNames: ["gw"],
  description: "Host names under which a workload instance answers, from outside of its clusters.",
  spec,
  status,
  columns: [
    { header: "INSTANCE", path: "spec.instance" },
    { header: "HOSTS", path: "spec.hosts[]" },
    { header: "READY", path: "status.conditions.Ready" },
    { header: "CLUSTERS", path: "status.readyCount", of: "status.clusterCount" },
    { header: "VISIBILITY", path: "spec.visibility", wide: true },
    { header: "AUTHOR", path: "status.author.user", wide: true },
    { header: "REASON", path: "status.conditions.Ready.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "spec.instance",
    "spec.hosts[]",
    "spec.clusters[]",
    "spec.class",
    "spec.visibility",
    "status.author.user",
    "status.clusters[].cluster",
    "status.conditions.Ready",
  ],
  recordsAuthor: true,
  references: [
    { field: "spec.instance", kind: "WorkloadInstance", cascade: "delete" },
    { field: "spec.clusters[]", kind: "Cluster", cascade: "remove" },
  ],
  conditions: { Ready: "Its hosts answer, in every cluster." },
  finalizers: ["bowline.dev/remove-routes"],
  exclusive: { field: "spec.hosts", conflict: hostConflict },
  check: gatewayProblems,
});
export type Gateway = ObjectOf<typeof Gateway>;

function gatewayProblems(gateway: GatewaySpec): Problem[] {
  return [...ruleProblems(gateway), ...tlsProblems(gateway)];
}

function ruleProblems({ rules, tls: { mode } }: GatewaySpec): Problem[] {
  const seen = new Set<string>();
  return rules.flatMap(({ path, methods: wanted }, index) => {
    const at = `spec.rules[${index}]`;
    if (mode === "passthrough") return passthroughProblems({ path, methods: wanted, index });
    const taken = (wanted ?? ["any"]).filter((method) => {
      const key = `${plainPath(path)} ${method}`;
      const isSeen = seen.has(key);
      seen.add(key);
      return isSeen;
    });
    if (taken.length === 0) return [];
    return [{ path: at, message: `has the same path and method as a rule before it, ${plainPath(path)}` }];
  });
}

/** Nobody at the entry sees paths or methods. */
function passthroughProblems({
  path,
  methods: wanted,
  index,
}: {
  readonly path: string;
  readonly methods: readonly string[] | undefined;
  readonly index: number;
}): Problem[] {
  if (index > 0) return [{ path: "spec.rules", message: "must be one when spec.tls.mode is passthrough" }];
  if (path === "/" && wanted === undefined) return [];
  const message = "must have the path / and no methods when spec.tls.mode is passthrough";
  return [{ path: `spec.rules[${index}]`, message }];
}

function tlsProblems({ tls: { mode, redirect, ...given } }: GatewaySpec): Problem[] {
  const { certificate = "auto", secret, issuer } = given;
  const isPlain = certificate === "auto" && secret === undefined && issuer === undefined;
  if (mode !== "terminate") {
    if (isPlain && redirect === undefined) return [];
    const message = `must have nothing else when spec.tls.mode is ${mode}`;
    return [{ path: "spec.tls", message }];
  }
  const problems: Problem[] = [];
  if (certificate === "secret" && secret === undefined) {
    problems.push({ path: "spec.tls.secret", message: "is required when spec.tls.certificate is secret" });
  }
  if (certificate !== "secret" && secret !== undefined) {
    problems.push({
      path: "spec.tls.secret",
      message: "is only allowed when spec.tls.certificate is secret",
    });
  }
  if (certificate !== "auto" && issuer !== undefined) {
    problems.push({ path: "spec.tls.issuer", message: "is only allowed when spec.tls.certificate is auto" });
  }
  return problems;
}
