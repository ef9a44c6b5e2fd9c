import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createTempFolder } from "../temp-folder.ts";
import { whyNoNeo4j } from "./neo4j-jars.ts";

interface Machine {
  /** The answer of its Java to what modules it has; it has no Java without. */
  readonly modules?: string;
  readonly maven?: boolean;
  readonly cached?: boolean;
}

/** An environment with these programs and no others. */
async function machine({ modules, maven = false, cached = false }: Machine): Promise<NodeJS.ProcessEnv> {
  const folder = await createTempFolder("machine");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const bin = join(folder.path, "bin");
  const jars = join(folder.path, "bowline", "neo4j-5.26.12");
  for (const path of [bin, jars]) await mkdir(path, { recursive: true });
  const program = (name: string, script: string): Promise<void> =>
    writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  if (modules !== undefined) await program("java", modules);
  if (maven) await program("mvn", "exit 1");
  if (cached) await writeFile(join(jars, "neo4j-5.26.12.jar"), "");
  return { PATH: bin, XDG_CACHE_HOME: folder.path };
}

const java17 = "echo java.base@17.0.15; echo jdk.compiler@17.0.15";

it.each([
  ["no Java", {}, "there is no Java 17 or newer in PATH"],
  ["an old one", { modules: "echo java.base@11.0.2", maven: true }, "Java 17 or newer is needed, and"],
  ["one that does not know the question", { modules: "exit 1", maven: true }, "is Java 8"],
  ["no compiler", { modules: "echo java.base@21", maven: true }, "comes without a compiler"],
  ["no Maven", { modules: java17 }, "there is no Maven (mvn) in PATH to get Neo4j with"],
])("is told why there is no Neo4j: %s", async (_, programs: Machine, reason) => {
  expect(await whyNoNeo4j(await machine(programs))).toContain(reason);
});

it("can be had with Java and Maven, and without Maven once it is there", async () => {
  expect(await whyNoNeo4j(await machine({ modules: java17, maven: true }))).toBeUndefined();
  expect(await whyNoNeo4j(await machine({ modules: java17, cached: true }))).toBeUndefined();
});
