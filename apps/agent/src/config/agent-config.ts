import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { codeOf, type Address, type Environment } from "@bowline/core";
import { chooseKubeconfig, type OwnCluster } from "@bowline/kube";
import {
  dataHome,
  resolveSettings,
  settingsError,
  sourceOf,
  type SettingReport,
  type SettingSources,
} from "@bowline/program";

import { agentSettings, type AgentValues } from "./settings.ts";

type GivenValues = Omit<AgentValues, "kubeconfig" | "kubeContext" | "serverCaFile">;

/** Everything the agent is told where it runs, and where each setting is from. */
export interface AgentConfig extends GivenValues, SettingReport, OwnCluster {
  /** In place of those that the join token named; empty for those. */
  readonly servers: readonly string[];
  /** In place of the CA that the join token named. */
  readonly serverCaPem: string | undefined;
  /** The folder below which an agent that is in no pod keeps its identity, unless `data` names one. */
  readonly identitiesFolder: string;
  readonly instance: string;
  readonly healthListen: Address;
}

/** Reads flags, which are stronger, and variables. `InvalidArgument` names all that is wrong. */
export function loadAgentConfig(sources: SettingSources): AgentConfig {
  const { environment } = sources;
  const { values, ...report } = resolveSettings(agentSettings, sources);
  const { kubeconfig: path, kubeContext, serverCaFile, data, ...others } = values;
  const kubeconfig = chooseKubeconfig({ kubeconfig: path, context: kubeContext }, environment);
  return {
    ...others,
    ...report,
    servers: values.servers ?? [],
    serverCaPem: serverCaFile === undefined ? undefined : readCertificates(serverCaFile, report),
    kubeconfig,
    data: data === undefined ? undefined : resolve(data),
    identitiesFolder: identitiesFolder(environment),
    instance: values.instance ?? randomUUID(),
    healthListen: values.healthListen ?? {
      host: kubeconfig === undefined ? "0.0.0.0" : "127.0.0.1",
      port: 8081,
    },
    environment,
  };
}

/** The folder with the identities of agents that run on this machine. */
export function identitiesFolder(environment: Environment): string {
  return join(dataHome(environment), "agents");
}

function readCertificates(path: string, report: SettingReport): string {
  const source = sourceOf(report, "serverCaFile");
  try {
    const pem = readFileSync(path, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw settingsError([{ source, message: `names ${path}, which cannot be read (${reason}).` }]);
  }
  throw settingsError([
    { source, message: `must be a file with certificates in PEM, which ${path} is not.` },
  ]);
}
