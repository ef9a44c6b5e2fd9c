import { logLevels, type Logger, type LogLevel } from "@bowline/core";
import type { AgentConfig } from "@bowline/protocol";

import type { Upstream } from "../upstream/upstream.ts";

export interface AgentConfigurationOptions {
  readonly logger: Logger;
  readonly upstream: Pick<Upstream, "maxStreams">;
  /** Whether somebody has chosen a log level where the agent runs; then the server's does not count. */
  readonly keepsLogLevel: boolean;
  /** What else is to be observed. */
  readonly observe?: (kinds: AgentConfig["observedKinds"]) => void;
}

/** The configuration that the server has sent, and the agent's own where the server says nothing. */
export class AgentConfiguration {
  readonly #options: AgentConfigurationOptions;
  readonly #own: { readonly logLevel: string; readonly maxStreams: number };
  #current: AgentConfig | undefined;

  constructor(options: AgentConfigurationOptions) {
    this.#options = options;
    this.#own = { logLevel: options.logger.level, maxStreams: options.upstream.maxStreams };
  }

  /** Of the configuration in force; empty for none. */
  get version(): string {
    return this.#current?.version ?? "";
  }

  /** Applies a configuration as a whole, or nothing of it; returns what is wrong with it, or nothing. */
  apply(config: AgentConfig): string {
    const { logger, upstream, keepsLogLevel, observe } = this.#options;
    const { logLevel, limits, observedKinds } = config;
    if (logLevel !== "" && !isLogLevel(logLevel)) return `There is no log level "${logLevel}".`;
    this.#current = config;
    logger.level = keepsLogLevel || logLevel === "" ? this.#own.logLevel : logLevel;
    const { maxStreams = 0 } = limits ?? {};
    upstream.maxStreams = maxStreams === 0 ? this.#own.maxStreams : maxStreams;
    observe?.(observedKinds);
    logger.info({ version: config.version }, "Configured by the server");
    return "";
  }
}

function isLogLevel(text: string): text is LogLevel {
  return logLevels.some((level) => level === text);
}
