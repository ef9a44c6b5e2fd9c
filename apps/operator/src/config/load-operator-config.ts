import { homedir } from "node:os";

import { GivenSetting, logLevels, type Environment, type SettingsGiven } from "@bowline/core";
import { defaultKubeconfigPaths } from "@bowline/kube";

import type { OperatorConfig } from "./operator-config.ts";
import { operatorSettings } from "./settings.ts";

type SettingName = keyof typeof operatorSettings;

/** Reads flags, which are stronger, and variables. `InvalidArgument` names the one that is wrong. */
export function loadOperatorConfig(sources: SettingsGiven): OperatorConfig {
  const { environment } = sources;
  const given = (name: SettingName): Given => new Given(operatorSettings[name], sources);
  const kubeconfig = kubeconfigOf(given, environment);
  return {
    kubeconfig,
    collectorImage: given("collectorImage").repository(operatorSettings.collectorImage.default),
    compat: given("compat").oneOf(["grafana-agent"]),
    namespaces: given("namespaces").namespaces(),
    leaderElection: given("leaderElection").flag(true),
    leaseNamespace: given("leaseNamespace").text,
    concurrency: given("concurrency").count(1, 100) ?? Number(operatorSettings.concurrency.default),
    expectedTargets: given("expectedTargets").flag(true),
    health: given("healthListen").address(kubeconfig === undefined ? "0.0.0.0:8082" : "127.0.0.1:8082"),
    logLevel: given("logLevel").oneOf(logLevels) ?? "info",
    environment,
  };
}

/** One setting, as it was given. */
class Given extends GivenSetting {
  namespaces(): readonly string[] | undefined {
    if (this.text === undefined) return undefined;
    const names = [...new Set(this.text.split(",").map((name) => name.trim()))];
    if (names.length <= maxNamespaces && names.every((name) => namespaceName.test(name))) return names;
    throw this.wrong(
      `up to ${maxNamespaces} names of namespaces, separated by commas, such as shop,monitoring`,
    );
  }

  /** A tag would end up before the one of the version. */
  repository(otherwise: string): string {
    const text = this.text ?? otherwise;
    if (/^[\w.-]+(:\d+)?(\/[\w.-]+)*$/u.test(text)) return text;
    throw this.wrong("the name of an image without a tag, such as quay.io/prometheus/prometheus");
  }
}

const namespaceName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
/** Each is watched on its own, with a dozen connections' worth of requests. */
const maxNamespaces = 50;

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
