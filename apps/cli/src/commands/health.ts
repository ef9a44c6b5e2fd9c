import { BowlineError, isRecord } from "@bowline/core";
import type { Health, Verdict } from "@bowline/health";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { CommandExit } from "../command/failure.ts";
import { noHeadersOption, outputOption } from "../command/shared-options.ts";
import type { Paint } from "../command/terminal.ts";
import { addManifestOptions } from "../manifests/manifest-options.ts";
import { TableWriter } from "../output/table-writer.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";

export function addHealthCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("health")
    .usage("-f FILE... [FLAGS]")
    .description(
      "Judge the health of Kubernetes objects in files, without a server and without a cluster: Healthy, Progressing, Degraded, Missing, Suspended or Unknown, with the reason.\n\nThe objects are those that kubectl prints, with their status; any kind will do. Exits with 0 when everything is Healthy or Suspended, 3 when something is not, 1 when a file cannot be understood, 2 for a command line that is wrong or a file that is missing.",
    );
  addManifestOptions(command, { mandatory: true })
    .addOption(outputOption(["table", "json", "yaml"], "table"))
    .option(...noHeadersOption)
    .action((options: HealthOptions) => showHealth(context, options));
  addExamples(command, [
    {
      does: "How everything in a namespace is",
      run: "kubectl get all -n shop -o yaml | bowline health -f -",
    },
    {
      does: "Stop a pipeline unless a rollout is done",
      run: "kubectl get deployment web -o json | bowline health -f - || exit 1",
    },
    {
      does: "What is degraded, for a program",
      run: "bowline health -R -f dump/ -o json | jq '.objects[] | select(.health == \"Degraded\")'",
    },
  ]);
}

interface HealthOptions {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly output: "table" | "json" | "yaml";
  readonly headers: boolean;
}

/** An exit code of its own, so that a pipeline can tell a sick object from a file that is not there. */
const notHealthyExitCode = 3;

const isWell = ({ health }: Verdict): boolean => health === "Healthy" || health === "Suspended";

interface JudgedObject extends Verdict {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
}

async function showHealth(context: CommandContext, options: HealthOptions): Promise<void> {
  const { terminal, paint } = context;
  const objects = await readObjects(context, options);
  const { healthFacts, judge, rollUp } = await import("@bowline/health");
  const now = new Date(context.clock.now());
  const judged = objects.map((object) => ({ ...nameOf(object), ...judge(healthFacts(object), now) }));
  if (options.output === "table") terminal.out(healthTable(judged, { headers: options.headers, paint }));
  else terminal.out(await toDocument({ ...rollUp(judged), objects: judged }, options.output));
  const sick = judged.filter((object) => !isWell(object)).length;
  if (sick === 0) return;
  terminal.error(`${sick} of ${judged.length} objects ${sick === 1 ? "is" : "are"} not healthy.\n`);
  throw new CommandExit(notHealthyExitCode);
}

type KubeObject = Readonly<Record<string, unknown>> & { readonly kind: string };

/** The objects in all files, of any kind; an empty set is refused, because nothing is not healthy. */
async function readObjects(context: CommandContext, options: HealthOptions): Promise<KubeObject[]> {
  const { readSources } = await import("../manifests/read-sources.ts");
  const { invalidAt, parseDocuments, parseJsonObjects } = await import("../manifests/parse-documents.ts");
  const { signal, terminal } = context;
  const { filename, recursive } = options;
  const sources = await readSources(filename, { recursive, readStdin: terminal.readStdin, signal });
  const objects = sources.flatMap((source) => {
    signal.throwIfAborted();
    const parsed = parseJsonObjects(source) ?? [...parseDocuments(source)];
    return parsed.map(({ body, origin, lineOf }) => {
      if (isKubeObject(body)) return body;
      throw invalidAt(origin, lineOf("kind"), "there is no object here, with a kind and a status");
    });
  });
  if (objects.length > 0) return objects;
  throw new BowlineError("InvalidArgument", `There are no objects in ${filename.join(", ")}.`);
}

function isKubeObject(body: unknown): body is KubeObject {
  return isRecord(body) && typeof body["kind"] === "string" && body["kind"] !== "";
}

function nameOf({ apiVersion, kind, metadata }: KubeObject): Omit<JudgedObject, keyof Verdict> {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  return {
    ...(typeof apiVersion === "string" ? { apiVersion } : {}),
    kind,
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(typeof name === "string" ? { name } : {}),
  };
}

const headings = ["NAME", "KIND", "HEALTH", "REASON", "MESSAGE"];

const colors: Readonly<Partial<Record<Health, Parameters<Paint>[0]>>> = {
  Degraded: "red",
  Missing: "red",
  Unknown: "yellow",
  Progressing: "yellow",
};

function healthTable(
  judged: readonly JudgedObject[],
  { headers, paint }: { readonly headers: boolean; readonly paint: Paint },
): string {
  const healthColumn = headings.indexOf("HEALTH");
  const colorOf = new Map<string, Parameters<Paint>[0]>(Object.entries(colors));
  const table = new TableWriter(headings, {
    noHeaders: !headers,
    style: (cell, column) => {
      const color = column === healthColumn ? colorOf.get(cell) : undefined;
      return color === undefined ? cell : paint(color, cell);
    },
  });
  return table.rows(
    judged.map(({ namespace, name = "<none>", kind, health, reason, message }) =>
      [namespace === undefined ? name : `${namespace}/${name}`, kind, health, reason, message].map(
        printableLine,
      ),
    ),
  );
}
