import { isIP } from "node:net";

import { isLoopback } from "@bowline/core";
import { sourceOf as sourceIn, type SettingProblem } from "@bowline/program";
import { certificateName } from "@bowline/tls";

import { isNetwork } from "../gateways/allowed-address.ts";
import type { ServerConfig } from "./server-config.ts";

type SourceOf = (name: string) => string;
type Check = (config: ServerConfig, sourceOf: SourceOf) => SettingProblem | undefined;

const checks: readonly Check[] = [
  openTls,
  openConsole,
  (config, sourceOf) => unusableNetwork("gateways.probeNetworks", config.gateways.probeNetworks, sourceOf),
  (config, sourceOf) => unusableNetwork("provider.eksAccess", config.provider.eksAccess, sourceOf),
  unusableResolver,
  ({ tls }, sourceOf) => togetherProblem("tls", ["certFile", "keyFile"], tls, sourceOf),
  namesOfGivenCertificate,
  unusableName,
  dividedSqlite,
  natsWithoutUrl,
  kindOfSeveral,
  ({ nats }, sourceOf) => togetherProblem("nats", ["certFile", "keyFile"], nats, sourceOf),
  ({ neo4j }, sourceOf) => togetherProblem("neo4j", ["url", "password"], neo4j, sourceOf),
  ({ oidc }, sourceOf) => togetherProblem("oidc", ["issuer", "clientId"], oidc, sourceOf),
];

/** The problems with settings that are right each for itself. */
export function configProblems(config: ServerConfig): SettingProblem[] {
  const sourceOf: SourceOf = (name) => sourceIn(config, name);
  return checks.map((check) => check(config, sourceOf)).filter((problem) => problem !== undefined);
}

function openTls({ tls, listen }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  if (tls.mode === "on" || isLoopback(listen.host)) return undefined;
  return {
    source: sourceOf("tls.mode"),
    message: `switches TLS off, but ${sourceOf("listen")} lets other machines connect: listen on 127.0.0.1, or leave TLS on.`,
  };
}

function openConsole({ console: { listen } }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  if (listen === undefined || isLoopback(listen.host)) return undefined;
  return {
    source: sourceOf("console.listen"),
    message:
      "lets other machines connect without TLS: choose a loopback address such as 127.0.0.1, or use the address that the server listens on anyway.",
  };
}

function namesOfGivenCertificate({ tls }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  if (tls.names === undefined || tls.certFile === undefined) return undefined;
  return {
    source: sourceOf("tls.names"),
    message: `is for the certificate that the server makes itself, but ${sourceOf("tls.certFile")} gives one; leave one of them out.`,
  };
}

function unusableNetwork(
  setting: string,
  networks: readonly string[] | undefined,
  sourceOf: SourceOf,
): SettingProblem | undefined {
  const wrong = networks?.find((network) => !isNetwork(network));
  if (wrong === undefined) return undefined;
  return {
    source: sourceOf(setting),
    message: `must have IP addresses and networks such as 10.0.0.0/8, not ${JSON.stringify(wrong)}.`,
  };
}

function unusableResolver({ gateways }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  const wrong = gateways.resolvers?.find((resolver) => !isResolver(resolver));
  if (wrong === undefined) return undefined;
  return {
    source: sourceOf("gateways.resolvers"),
    message: `must have IP addresses of DNS servers, not ${JSON.stringify(wrong)}.`,
  };
}

/** `10.0.0.53`, `10.0.0.53:5353`, `fd00::53` or `[fd00::53]:5353` */
function isResolver(text: string): boolean {
  const [, four, six, port = "53"] = /^(?:([^:]+)|\[(.+)\])(?::(\d{1,5}))?$/u.exec(text) ?? [];
  const isAddress = isIP(text) !== 0 || isIP(four ?? "") === 4 || isIP(six ?? "") === 6;
  return isAddress && Number(port) > 0 && Number(port) <= 65_535;
}

function unusableName({ tls }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  const wrong = tls.names?.find((name) => certificateName(name) === undefined);
  if (wrong === undefined) return undefined;
  return {
    source: sourceOf("tls.names"),
    message: `must have DNS names and IP addresses without ports, not ${JSON.stringify(wrong)}.`,
  };
}

function dividedSqlite({ role, database }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  if (role === "all" || database.url !== undefined) return undefined;
  return {
    source: sourceOf("role"),
    message: `must be all, not "${role}", because SQLite serves one process only; or use PostgreSQL, by --database-url.`,
  };
}

function natsWithoutUrl({ nats }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  const given = (["credentialsFile", "caFile", "certFile", "keyFile"] as const).find(
    (name) => nats[name] !== undefined,
  );
  if (nats.url !== undefined || given === undefined) return undefined;
  return { source: sourceOf(`nats.${given}`), message: "is of no use without --nats-url." };
}

/** The next replica would not find on its own machine what is there, take it for gone, and make it again. */
function kindOfSeveral({ provider, nats }: ServerConfig, sourceOf: SourceOf): SettingProblem | undefined {
  if (!provider.kind || nats.url === undefined) return undefined;
  return {
    source: sourceOf("provider.kind"),
    message: `must be off, because ${sourceOf("nats.url")} lets several servers share the work, and clusters of kind are containers of the machine of one of them.`,
  };
}

/** Two settings of a group that make sense together only. */
function togetherProblem<const K extends string>(
  group: string,
  names: readonly [K, K],
  values: Readonly<Record<K, unknown>>,
  sourceOf: SourceOf,
): SettingProblem | undefined {
  const [given, ...others] = names.filter((name) => values[name] !== undefined);
  if (given === undefined || others.length > 0) return undefined;
  const missing = names.find((name) => name !== given);
  return { source: sourceOf(`${group}.${given}`), message: `is of no use without ${group}.${missing}.` };
}
