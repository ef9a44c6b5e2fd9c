import { readFile } from "node:fs/promises";

import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";

export interface Neo4jTarget {
  readonly url: string;
  readonly neo4jUser: string;
  readonly neo4jDatabase: string;
  readonly neo4jPasswordFile?: string;
}

/** Statements are kept whole: one of the server's has 500 rows at most. */
const longestStatement = 64 * 1024 * 1024;

/** Runs a script of Cypher in an empty database of Neo4j, a statement in each transaction. */
export async function writeToNeo4j(
  context: CommandContext,
  open: () => Promise<AsyncIterable<Buffer>>,
  target: Neo4jTarget,
): Promise<void> {
  const { Neo4jDatabase } = await import("@bowline/neo4j");
  const { signal, clock, terminal } = context;
  const { url, neo4jUser: user, neo4jDatabase: name } = target;
  const password = await readPassword(context, target);
  await using database = await Neo4jDatabase.open({ url, user, password, database: name, clock });
  const [found] = await database.transaction((run) => run("MATCH (n) RETURN 1 AS one LIMIT 1"), signal);
  if (found !== undefined) {
    throw new BowlineError(
      "Conflict",
      `The database "${name}" of Neo4j at ${database.address} is not empty. Name another one with --neo4j-database, or empty it: MATCH (n) DETACH DELETE n.`,
    );
  }
  let statements = 0;
  for await (const statement of statementsOf(await open())) {
    await database.transaction((run) => run(statement), signal);
    statements += 1;
  }
  const [nodes] = await database.transaction((run) =>
    run<{ count: number }>("MATCH (n) RETURN count(n) AS count"),
  );
  const [edges] = await database.transaction((run) =>
    run<{ count: number }>("MATCH ()-[r]->() RETURN count(r) AS count"),
  );
  terminal.out(
    `Wrote ${nodes?.count ?? 0} nodes and ${edges?.count ?? 0} relationships in ${statements} statements to ${database.address}.\n`,
  );
}

async function readPassword({ environment }: CommandContext, target: Neo4jTarget): Promise<string> {
  const { neo4jPasswordFile: file } = target;
  if (file === undefined) return environment["NEO4J_PASSWORD"] ?? "";
  try {
    return (await readFile(file, "utf8")).trimEnd();
  } catch (cause) {
    throw new BowlineError("InvalidArgument", `The file ${file} with the password cannot be read.`, {
      cause,
    });
  }
}

/** The statements of a script as the server writes it: texts in it have no line feeds, so `;` and one end a statement. */
export async function* statementsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split(";\n");
    rest = parts.pop() ?? "";
    yield* parts.map(withoutComments).filter(Boolean);
    if (rest.length > longestStatement) {
      throw new BowlineError("ResponseTooLarge", "A statement of the script is too long to be run.");
    }
  }
  const last = withoutComments(rest + decoder.decode());
  if (last !== "") yield last;
}

/** Comments have lines of their own. */
function withoutComments(statement: string): string {
  return statement.replaceAll(/^\/\/.*\n?/gmu, "").trim();
}
