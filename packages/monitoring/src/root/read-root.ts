import { BowlineError } from "@bowline/core";

import { isLabelName, readLabelName, readTargetLabels } from "../check/label-name.ts";
import { readDuration } from "../check/prometheus-values.ts";
import { Scope, type Checks } from "../check/scope.ts";
import { defaultCollectorVersion, parseCollectorVersion } from "../model/collector-version.ts";
import { nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import { Field, Report, type Problem } from "../model/field.ts";
import { isOfKnownGroup, refOf, type KubeObject, type ObjectRef } from "../model/kube-object.ts";
import { ReferenceTracker, type Resolve, type ValueRef } from "../model/references.ts";
import { authorization, basicAuth, proxyConfig, tlsConfig } from "../scrape/http-client.ts";
import { readEnforcedLimits } from "../scrape/limits.ts";
import { shardRules, type Sharding } from "../scrape/rules.ts";
import { readScrapeClasses } from "../scrape/scrape-class.ts";
import type { Exclusion, Settings } from "../scrape/settings.ts";
import type { Mode } from "./global-config.ts";

export interface RenderInput {
  /** A Prometheus, a PrometheusAgent or a MetricsAgent. */
  readonly root: KubeObject;
  /** Instances, monitors and namespaces, in any order; other kinds do no harm. */
  readonly objects: readonly KubeObject[];
}

/** `all` takes every instance and monitor, whatever the selectors say; `allOf` does so for some kinds. */
export type Selection = "selectors" | "all" | { readonly allOf: readonly string[] };

/** Sentences as in a problem. */
export type Refusal = Pick<Problem, "message" | "fix">;

export interface RenderOptions extends GeneratorSwitches {
  readonly resolve: Resolve;
  /** Whether a value that is not resolved may only not be read: it is reported as that, and not as missing. */
  readonly isForbidden?: ((ref: ValueRef) => boolean) | undefined;
  /** For which kind of collector; without it, the root's kind decides. */
  readonly mode?: Mode | undefined;
  /** The collector's version; without it the root's, or the newest that is known. */
  readonly version?: string | undefined;
  readonly selection?: Selection | undefined;
  /** Why a monitor is to be left out that nothing is wrong with, such as a lack of room. */
  readonly refuse?: ((monitor: ObjectRef) => Refusal | undefined) | undefined;
  readonly checks?: Checks | undefined;
  /** Where the files for TLS will be. */
  readonly certsDirectory?: string | undefined;
}

export interface Root {
  readonly spec: Field;
  readonly scope: Scope;
  readonly settings: Settings;
  readonly mode: Mode;
  readonly references: ReferenceTracker;
}

/** The kinds that can be the root, and the collector they stand for. */
const rootModes: Readonly<Record<string, Mode>> = {
  Prometheus: "server",
  PrometheusAgent: "agent",
  MetricsAgent: "agent",
};

export function isRoot(object: KubeObject): boolean {
  return Object.hasOwn(rootModes, object.kind) && isOfKnownGroup(object);
}

export function readRoot(object: KubeObject, options: RenderOptions): Root {
  const mode = isRoot(object) ? rootModes[object.kind] : undefined;
  if (mode === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      `A ${object.kind} cannot be the root of a configuration; give one of ${Object.keys(rootModes).join(", ")}.`,
    );
  }
  const references = new ReferenceTracker(options.resolve, options.isForbidden);
  // Read aside: the report on the root needs the version first.
  const given = Field.root(object.spec, new Report(), "spec").get("version").word();
  const version = options.version ?? given ?? defaultCollectorVersion;
  const scope = new Scope(refOf(object), new Report(), {
    version: parseCollectorVersion(version),
    references,
    checks: options.checks ?? "full",
    certsDirectory: options.certsDirectory ?? "/etc/prometheus/certs",
  });
  const spec = scope.field(object.spec, "spec");
  return {
    spec,
    scope,
    settings: readSettings(spec, scope, options),
    mode: options.mode ?? mode,
    references,
  };
}

/** Switches that decide about the jobs and stand in no custom resource. */
export interface GeneratorSwitches {
  /** Whether the cluster serves EndpointSlices. */
  readonly endpointSliceSupported?: boolean | undefined;
  /** One collector per node. */
  readonly daemonSet?: boolean | undefined;
  /** Whether a sharding strategy by zones is followed. */
  readonly topologySharding?: boolean | undefined;
  /** Whether shards that were scaled away are kept for their data, and must not scrape. */
  readonly retentionPolicies?: boolean | undefined;
}

function readSettings(spec: Field, scope: Scope, switches: GeneratorSwitches): Settings {
  const role = spec.get("serviceDiscoveryRole").choice(["Endpoints", "EndpointSlice"]);
  const mode = spec.get("mode").choice(["StatefulSet", "DaemonSet"]);
  const daemonSet = switches.daemonSet ?? mode === "DaemonSet";
  const sharding = readSharding(spec, switches);
  return {
    scrapeInterval: readDuration(spec.get("scrapeInterval")) ?? "30s",
    overrideHonorLabels: spec.get("overrideHonorLabels").flag() ?? false,
    overrideHonorTimestamps: spec.get("overrideHonorTimestamps").flag() ?? false,
    ignoreNamespaceSelectors: spec.get("ignoreNamespaceSelectors").flag() ?? false,
    enforcedNamespaceLabel: readEnforcedLabel(spec.get("enforcedNamespaceLabel"), scope),
    exclusions: spec.get("excludedFromEnforcement").list().map(readExclusion),
    enforcedLimits: readEnforcedLimits(spec),
    podTargetLabels: readTargetLabels(spec.get("podTargetLabels"), scope),
    prefersEndpointSlices: role === "EndpointSlice",
    endpointSliceSupported: switches.endpointSliceSupported ?? false,
    scrapeClasses: readScrapeClasses(spec.get("scrapeClasses"), scope),
    sharding,
    // A collector on each node has the targets of its node, and nobody to divide them with.
    endpointShardRules: daemonSet ? [] : shardRules(sharding, "__address__"),
    daemonSet,
    files: spec.get("arbitraryFSAccessThroughSMs").get("deny").flag() === false ? "allowed" : "denied",
    apiServer: readApiServer(spec.get("apiserverConfig"), scope),
  };
}

/** Going on without it would let monitors through that it is there to hold. */
function readEnforcedLabel(field: Field, scope: Scope): string | undefined {
  const label = field.word();
  if (label !== undefined && !isLabelName(label, scope)) {
    throw new BowlineError(
      "InvalidArgument",
      `${field.path} is no name of a label; use letters, digits and underscores only.`,
    );
  }
  return label;
}

function readExclusion(field: Field): Exclusion {
  return {
    resource: field.get("resource").text() ?? "",
    namespace: field.get("namespace").text() ?? "",
    name: field.get("name").word(),
  };
}

function readSharding(spec: Field, switches: GeneratorSwitches): Sharding {
  const shards = Math.max(1, spec.get("shards").count() ?? 1);
  const retainsShards = switches.retentionPolicies ?? false;
  const zones = topologyOf(spec, switches)?.get("values").texts().length ?? 0;
  if (zones === 0) return { shards, retainsShards };
  const field = spec.get("shards");
  if (shards < zones) {
    field.reject(
      `${field.path} leaves some of the ${zones} zones without a shard.`,
      `Use ${zones} shards or more.`,
    );
  } else if (shards % zones !== 0) {
    spec.report.note(
      `${field.path} is no multiple of the ${zones} zones, so ${shards % zones} shards have no targets.`,
    );
  }
  return { shards, retainsShards, shardsPerZone: Math.max(1, Math.floor(shards / zones)) };
}

function topologyOf(spec: Field, switches: GeneratorSwitches): Field | undefined {
  const strategy = spec.get("shardingStrategy");
  const isByZone = strategy.get("mode").choice(["Address", "Topology"]) === "Topology";
  return isByZone && switches.topologySharding === true ? strategy.get("topology") : undefined;
}

/** The external label with the zone of the collector; none without sharding by zones. */
export function zoneLabelOf(spec: Field, scope: Scope, switches: GeneratorSwitches): string | undefined {
  const topology = topologyOf(spec, switches);
  if (topology === undefined) return undefined;
  const name = readLabelName(topology.get("externalLabelName"), scope, "zone");
  return name === "" ? undefined : name;
}

function readApiServer(field: Field, scope: Scope): ConfigMap {
  const config: ConfigMap = {
    api_server: field.get("host").word(),
    basic_auth: basicAuth(field.get("basicAuth"), scope),
    bearer_token: field.get("bearerToken").word(),
    bearer_token_file: field.get("bearerTokenFile").word(),
    authorization: authorization(field.get("authorization"), scope),
    tls_config: tlsConfig(field.get("tlsConfig"), scope, { files: "allowed" }),
    ...proxyConfig(field, scope),
  };
  return nonEmptyMap(config) ?? {};
}
