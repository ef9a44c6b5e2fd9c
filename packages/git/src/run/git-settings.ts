import type { GitProtocol } from "../model/repository-url.ts";

/** A setting of git's configuration. */
export type GitSetting = readonly [key: string, value: string];

/** Settings of every command. Nothing is left to what the machine, the user or a repository may have configured. */
const hardened: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.askPass", ""],
  ["credential.helper", ""],
  ["protocol.version", "2"],
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "30"],
  // A collection of garbage in the background would race the next command.
  ["gc.auto", "0"],
  ["gc.autoDetach", "false"],
  ["maintenance.auto", "false"],
  ["maintenance.autoDetach", "false"],
  ["transfer.fsckObjects", "true"],
  // Always a pack, however few objects: a limit on the size of a file then is one on all that comes.
  ["fetch.unpackLimit", "1"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["gpg.program", "gpg"],
  ["gpg.ssh.program", "ssh-keygen"],
  ["gpg.x509.program", "false"],
];

export interface EnvironmentOptions {
  readonly searchPath: string;
  /** An empty folder. */
  readonly home: string;
  readonly protocols: readonly GitProtocol[];
  /** More settings, which may be secret: they are in the environment of this one child, and in no argument. */
  readonly settings?: readonly GitSetting[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** The whole environment of a git command; that of this process plays no part. */
export function gitEnvironment(options: EnvironmentOptions): Record<string, string> {
  const settings = [...hardened, ...(options.settings ?? [])];
  return {
    PATH: options.searchPath,
    HOME: options.home,
    XDG_CONFIG_HOME: options.home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "false",
    SSH_ASKPASS: "false",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOW_PROTOCOL: options.protocols.join(":"),
    ...options.variables,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/**
 * For commands that only read: an object that a filter left out must be missing, not fetched behind our back. Older
 * versions of git do not know the variable; they may use no protocol at all.
 */
export const readOnlyVariables = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" } as const;
