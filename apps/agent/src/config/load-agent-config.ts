import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";

import { GivenSetting, logLevels, type Environment, type SettingsGiven } from "@bowline/core";
import { defaultKubeconfigPaths } from "@bowline/kube";

import { logFormats, type AgentConfig } from "./agent-config.ts";
import { dataHome } from "./data-home.ts";
import { agentSettings } from "./settings.ts";

type SettingName = keyof typeof agentSettings;

/** Reads flags, which are stronger, and variables. `InvalidArgument` names the one that is wrong. */
export function loadAgentConfig(sources: SettingsGiven): AgentConfig {
  const { environment } = sources;
  const given = (name: SettingName): Given => new Given(agentSettings[name], sources);
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
    leaseNamespace: given("leaseNamespace").namespace(),
    instance: given("instance").text ?? randomUUID(),
    health: given("healthListen").address(kubeconfig === undefined ? "0.0.0.0:8081" : "127.0.0.1:8081"),
    maxStreams: given("maxStreams").count(1, 100_000) ?? Number(agentSettings.maxStreams.default),
    drainTimeMs: (given("drainTime").count(0, 86_400) ?? Number(agentSettings.drainTime.default)) * 1000,
    logLevel: given("logLevel").oneOf(logLevels),
    logFormat: given("logFormat").oneOf(logFormats),
    environment,
  };
}

/** One setting, as it was given. */
class Given extends GivenSetting {
  /** It becomes part of an address. */
  namespace(): string | undefined {
    if (this.text === undefined || /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(this.text)) return this.text;
    throw this.wrong("the name of a namespace");
  }

  servers(): string[] {
    const servers = this.text === undefined ? [] : this.text.split(",").map((server) => server.trim());
    if (servers.every((server) => URL.canParse(server) && new URL(server).protocol === "https:"))
      return servers;
    throw this.wrong("one or more addresses such as https://bowline.example.com, with commas between");
  }

  certificates(): string | undefined {
    const pem = this.contents();
    if (pem === undefined || pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
    throw this.wrong("a file with certificates in PEM");
  }

  /** Of the file it names; undefined when there is no such file. */
  contentsIfThere(): string | undefined {
    return this.text === undefined || existsSync(this.text) ? this.contents() : undefined;
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

/**
 * A token is needed once. An agent that has joined starts without it, also where it is told of a file that is gone: in a
 * pod, that of a Secret which somebody has deleted since.
 */
function joinTokenOf(token: Given, file: Given): string | undefined {
  const text = (file.contentsIfThere() ?? token.text)?.trim();
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
