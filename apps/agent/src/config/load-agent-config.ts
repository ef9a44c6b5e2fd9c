import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

import { BowlineError, logLevels, type LogLevel } from "@bowline/core";
import { defaultKubeconfigPaths } from "@bowline/kube";

import type { Environment } from "../dial/proxy-for.ts";
import type { AgentConfig } from "./agent-config.ts";
import { agentSettings, type AgentSetting } from "./settings.ts";

export interface ConfigSources {
  /** By flag, with `--`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Environment;
}

type SettingName = keyof typeof agentSettings;

/** Reads flags, which are stronger, and variables. `InvalidArgument` names the one that is wrong. */
export function loadAgentConfig(sources: ConfigSources): AgentConfig {
  const { environment } = sources;
  const given = (name: SettingName): Given => new Given(name, sources);
  const kubeconfig = kubeconfigOf(given, environment);
  const data = given("data").text;
  return {
    joinToken: joinTokenOf(given("joinToken"), given("joinTokenFile")),
    servers: given("servers").servers(),
    serverCaPem: given("serverCaFile").certificates(),
    kubeconfig,
    data: data === undefined ? undefined : resolve(data),
    dataHome: dataHome(environment),
    secretName: given("secretName").text ?? agentSettings.secretName.default,
    instance: given("instance").text ?? randomUUID(),
    health: given("healthListen").address(kubeconfig === undefined ? "0.0.0.0:8081" : "127.0.0.1:8081"),
    maxStreams: given("maxStreams").count(1, 100_000) ?? Number(agentSettings.maxStreams.default),
    drainTimeMs: (given("drainTime").count(0, 86_400) ?? Number(agentSettings.drainTime.default)) * 1000,
    logLevel: given("logLevel").logLevel(),
    environment,
  };
}

/** One setting, as it was given. */
class Given {
  /** Undefined when nobody gave it; an empty variable counts as not set. */
  readonly text: string | undefined;
  /** The flag or variable it is from, for messages. */
  readonly #source: string;

  constructor(name: SettingName, { flags, environment }: ConfigSources) {
    const { flag, variable }: AgentSetting = agentSettings[name];
    const fromFlag = flag === undefined ? undefined : flags[`--${flag}`];
    this.#source = fromFlag === undefined ? variable : `--${flag}`;
    const fromVariable = environment[variable];
    this.text = fromFlag ?? (fromVariable === "" ? undefined : fromVariable);
  }

  wrong(expected: string, cause?: unknown): BowlineError {
    const options = cause === undefined ? {} : { cause };
    return new BowlineError("InvalidArgument", `${this.#source} must be ${expected}.`, options);
  }

  count(least: number, most: number): number | undefined {
    if (this.text === undefined) return undefined;
    const value = /^\d{1,9}$/u.test(this.text) ? Number(this.text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw this.wrong(`a whole number from ${least} to ${most}`);
  }

  address(otherwise: string): { readonly host: string; readonly port: number } {
    const [, bracketed, plain, digits] =
      /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/iu.exec(this.text ?? otherwise) ?? [];
    const host = bracketed ?? plain;
    const port = Number(digits);
    if (host !== undefined && port <= 65_535) return { host, port };
    throw this.wrong("an address with a port, such as 127.0.0.1:8081");
  }

  servers(): string[] {
    const servers = this.text === undefined ? [] : this.text.split(",").map((server) => server.trim());
    if (servers.every((server) => URL.canParse(server) && new URL(server).protocol === "https:"))
      return servers;
    throw this.wrong("one or more addresses such as https://bowline.example.com, with commas between");
  }

  logLevel(): LogLevel | undefined {
    const level = logLevels.find((each) => each === this.text);
    if (level !== undefined || this.text === undefined) return level;
    throw this.wrong(`one of ${logLevels.join(", ")}`);
  }

  certificates(): string | undefined {
    const pem = this.contents();
    if (pem === undefined || pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
    throw this.wrong("a file with certificates in PEM");
  }

  /** Of the file it names. */
  contents(): string | undefined {
    if (this.text === undefined) return undefined;
    try {
      return readFileSync(this.text, "utf8");
    } catch (error) {
      throw this.wrong(`a file that can be read, which ${this.text} is not`, error);
    }
  }
}

function joinTokenOf(token: Given, file: Given): string | undefined {
  const text = (file.contents() ?? token.text)?.trim();
  return text === "" ? undefined : text;
}

/** In a pod, its ServiceAccount is used unless a kubeconfig is given. */
function kubeconfigOf(
  given: (name: SettingName) => Given,
  environment: Environment,
): AgentConfig["kubeconfig"] {
  const path = given("kubeconfig").text;
  const context = given("context").text;
  const isInPod = environment["KUBERNETES_SERVICE_HOST"] !== undefined;
  if (path === undefined && context === undefined && isInPod) return undefined;
  const home = environment["HOME"] ?? homedir();
  return { paths: defaultKubeconfigPaths({ KUBECONFIG: path }, home), context };
}

/** Where the XDG base directory rules put it; they say that a relative path is to be ignored. */
function dataHome(environment: Environment): string {
  const base = environment["XDG_DATA_HOME"];
  const share =
    base?.startsWith("/") === true ? base : join(environment["HOME"] ?? homedir(), ".local", "share");
  return join(share, "bowline", "agents");
}
