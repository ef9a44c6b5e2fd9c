import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

import type { Environment } from "../../command/command-context.ts";
import { changeConfig, configPath } from "../../connection/config-file.ts";
import type { ConfigDocument, ContextEntry } from "../../connection/config-document.ts";

/** How the command line reaches the demo, in the user's own configuration for as long as the demo runs. */
interface DemoContext extends AsyncDisposable {
  readonly name: string;
  /** Whether commands use it without being told to. */
  readonly isCurrent: boolean;
}

/** Adds a context; it becomes the current one if there is none, as nobody's commands are to end up in a demo. */
export async function addDemoContext(
  environment: Environment,
  access: Omit<ContextEntry, "name" | "token">,
): Promise<DemoContext> {
  const path = configPath(environment);
  const isNewFile = !existsSync(path);
  const added = await changeConfig(environment, (config) => {
    const name = freeName(config, access);
    config.put({ name, ...access });
    const current = config.currentContext;
    if (current === undefined || config.context(current) === undefined) config.currentContext = name;
    return { name, isCurrent: config.currentContext === name };
  });
  const remove = async (): Promise<void> => {
    const isEmpty = await changeConfig(environment, (config) => {
      const entry = config.context(added.name);
      if (entry !== undefined && isOurs(entry, access)) config.remove(added.name);
      return config.contexts().length === 0;
    });
    if (isNewFile && isEmpty) await rm(path);
  };
  return { ...added, [Symbol.asyncDispose]: remove };
}

/** The first of `demo`, `demo-2`, … that nobody has, or that an earlier demo has left: one of this folder, or of none. */
function freeName(config: ConfigDocument, access: Pick<ContextEntry, "tokenFile">): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? "demo" : `demo-${number}`;
    const entry = config.context(name);
    if (entry === undefined || isOurs(entry, access) || isLeft(entry)) return name;
  }
}

/** A demo that was killed, and whose folder was removed since: nobody can use its context. */
function isLeft({ tokenFile }: ContextEntry): boolean {
  return tokenFile !== undefined && !existsSync(tokenFile);
}

function isOurs(entry: ContextEntry, { tokenFile }: Pick<ContextEntry, "tokenFile">): boolean {
  return entry.tokenFile === tokenFile;
}
