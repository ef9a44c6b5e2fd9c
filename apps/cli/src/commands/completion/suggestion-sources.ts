import type { CommandContext } from "../../command/command-context.ts";
import type { Suggestion } from "./complete-line.ts";

/** A person has pressed Tab and waits: what the server does not say by then is not said. */
const askLimitMs = 2000;
const mostNames = 500;

export async function contextNames({ environment }: CommandContext): Promise<readonly Suggestion[]> {
  const { readConfig } = await import("../../connection/config-file.ts");
  const config = await readConfig(environment);
  return config.contexts().map(({ name, server }) => ({ value: name, description: server }));
}

export async function kindNames(): Promise<readonly Suggestion[]> {
  const { kinds } = await import("@bowline/api");
  return kinds.map(({ plural, description }) => ({ value: plural, description }));
}

/** The fields below the last dot of `cluster.spec.re`, each with the whole path. */
export async function fieldPaths(typed: string): Promise<readonly Suggestion[]> {
  const { fieldsOf, findKind } = await import("@bowline/api");
  const [kindName = "", ...steps] = typed.split(".");
  const kind = findKind(kindName);
  if (kind === undefined) return [];
  const start = steps
    .slice(0, -1)
    .map((step) => `${step}.`)
    .join("");
  return fieldsOf(kind.schemas.stored).flatMap(({ path, description }) => {
    const plain = path.replaceAll("[]", "");
    const isBelow = plain.startsWith(start) && !plain.slice(start.length).includes(".");
    return isBelow ? [{ value: `${kindName}.${plain}`, description }] : [];
  });
}

/** The names of the objects of a kind; none when the kind, the server or the answer is not there. */
export async function objectNames(kindName: string, context: CommandContext): Promise<readonly Suggestion[]> {
  const [{ findKind }, { connectToServer }] = await Promise.all([
    import("@bowline/api"),
    import("../../connection/connect-to-server.ts"),
  ]);
  const kind = findKind(kindName);
  if (kind === undefined) return [];
  const limits = { requestTimeoutMs: askLimitMs, connectTimeoutMs: askLimitMs, maxAttempts: 1 };
  const client = await connectToServer(context, limits);
  try {
    const { items } = await client.list(kind, { limit: mostNames });
    return items.map(({ metadata }) => ({ value: metadata.name }));
  } finally {
    await client.close();
  }
}
