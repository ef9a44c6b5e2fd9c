import { homedir } from "node:os";

import { BowlineError, logLevels, type LogLevel } from "@bowline/core";
import { defaultKubeconfigPaths } from "@bowline/kube";

import type { Environment, OperatorConfig } from "./operator-config.ts";
import { operatorSettings } from "./settings.ts";

export interface ConfigSources {
  /** By flag, with `--`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Environment;
}

type SettingName = keyof typeof operatorSettings;

/** Reads flags, which are stronger, and variables. `InvalidArgument` names the one that is wrong. */
export function loadOperatorConfig(sources: ConfigSources): OperatorConfig {
  const { environment } = sources;
  const given = (name: SettingName): Given => new Given(name, sources);
  const kubeconfig = kubeconfigOf(given, environment);
  return {
    kubeconfig,
    collectorImage: given("collectorImage").repository(operatorSettings.collectorImage.default),
    compat: given("compat").compat(),
    leaderElection: given("leaderElection").flag(true),
    leaseNamespace: given("leaseNamespace").text,
    concurrency: given("concurrency").count(1, 100) ?? Number(operatorSettings.concurrency.default),
    health: given("healthListen").address(kubeconfig === undefined ? "0.0.0.0:8082" : "127.0.0.1:8082"),
    logLevel: given("logLevel").logLevel() ?? "info",
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
    const { flag, variable } = operatorSettings[name];
    const fromFlag = flags[`--${flag}`];
    this.#source = fromFlag === undefined ? variable : `--${flag}`;
    const fromVariable = environment[variable];
    this.text = fromFlag ?? (fromVariable === "" ? undefined : fromVariable);
  }

  count(least: number, most: number): number | undefined {
    if (this.text === undefined) return undefined;
    const value = /^\d{1,9}$/u.test(this.text) ? Number(this.text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw this.#wrong(`a whole number from ${least} to ${most}`);
  }

  flag(otherwise: boolean): boolean {
    if (this.text === undefined) return otherwise;
    if (this.text === "on" || this.text === "off") return this.text === "on";
    throw this.#wrong("on or off");
  }

  compat(): OperatorConfig["compat"] {
    if (this.text === undefined || this.text === "grafana-agent") return this.text;
    throw this.#wrong("grafana-agent");
  }

  /** A tag would end up before the one of the version. */
  repository(otherwise: string): string {
    const text = this.text ?? otherwise;
    if (/^[\w.-]+(:\d+)?(\/[\w.-]+)*$/u.test(text)) return text;
    throw this.#wrong("the name of an image without a tag, such as quay.io/prometheus/prometheus");
  }

  address(otherwise: string): { readonly host: string; readonly port: number } {
    const [, bracketed, plain, digits] =
      /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/iu.exec(this.text ?? otherwise) ?? [];
    const host = bracketed ?? plain;
    const port = Number(digits);
    if (host !== undefined && port <= 65_535) return { host, port };
    throw this.#wrong("an address with a port, such as 127.0.0.1:8082");
  }

  logLevel(): LogLevel | undefined {
    const level = logLevels.find((each) => each === this.text);
    if (level !== undefined || this.text === undefined) return level;
    throw this.#wrong(`one of ${logLevels.join(", ")}`);
  }

  #wrong(expected: string): BowlineError {
    return new BowlineError("InvalidArgument", `${this.#source} must be ${expected}.`);
  }
}

/** In a pod, its ServiceAccount is used unless a kubeconfig is given. */
function kubeconfigOf(
  given: (name: SettingName) => Given,
  environment: Environment,
): OperatorConfig["kubeconfig"] {
  const path = given("kubeconfig").text;
  const context = given("context").text;
  const isInPod = environment["KUBERNETES_SERVICE_HOST"] !== undefined;
  if (path === undefined && context === undefined && isInPod) return undefined;
  const home = environment["HOME"] ?? homedir();
  return { paths: defaultKubeconfigPaths({ KUBECONFIG: path }, home), context };
}
