import { apiVersion, type Kind } from "@bowline/api";
import { isRecord, type BowlineError, type ErrorCode } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import { CommandExit, failureNotes } from "../command/failure.ts";
import type { OutputFormat } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { toDocument } from "../output/to-document.ts";
import { resourceName, type Resource } from "../resources/resource.ts";
import { atManifest, type Manifest } from "./manifest.ts";

export interface WriteManifestsOptions {
  readonly dryRun: boolean;
  /** Left out, a line for each object. */
  readonly output?: Extract<OutputFormat, "json" | "yaml" | "name">;
  readonly write: (manifest: Manifest) => Promise<WrittenManifest>;
}

interface WrittenManifest {
  /** As in `cluster/a created`. */
  readonly outcome: string;
  readonly object: object;
}

/** These are about one object; after any other error the next object would fare no better. */
const ofOneObject: ReadonlySet<ErrorCode> = new Set([
  "AlreadyExists",
  "BadRequest",
  "Conflict",
  "FieldConflict",
  "Forbidden",
  "Invalid",
  "InvalidArgument",
  "NotFound",
  "PreconditionFailed",
  "StillReferenced",
]);

/**
 * Writes one object after the other and says of each what came of it. One that is refused does not keep the others
 * back; the command fails in the end.
 */
export async function writeManifests(
  context: CommandContext,
  manifests: readonly Manifest[],
  options: WriteManifestsOptions,
): Promise<Resource[]> {
  const written: (Resource & WrittenManifest)[] = [];
  const refused: BowlineError[] = [];
  let failure: BowlineError | undefined;
  for (const manifest of manifests) {
    try {
      const result = await options.write(manifest);
      written.push({ ...manifest, ...result });
      if (options.output === undefined) context.terminal.out(lineFor(manifest, result, options.dryRun));
    } catch (thrown) {
      const error = atManifest(manifest, thrown);
      if (!ofOneObject.has(error.code) || manifests.length === 1) {
        failure = error;
        break;
      }
      refused.push(error);
      context.terminal.error(
        `${[`error: ${printableLine(error.message)}`, ...failureNotes(error)].join("\n")}\n`,
      );
    }
  }
  // Also after a failure: what was issued to the objects before it is shown only now.
  if (options.output !== undefined) context.terminal.out(await printWritten(written, options.output));
  if (failure !== undefined) throw failure;
  if (refused.length > 0) {
    context.terminal.error(`${refused.length} of ${manifests.length} objects were refused.\n`);
    throw new CommandExit(1);
  }
  return written;
}

function lineFor(manifest: Manifest, { outcome, object }: WrittenManifest, dryRun: boolean): string {
  const line = `${resourceName(manifest)} ${outcome}${dryRun ? " (dry run)" : ""}\n`;
  return line + issuedLines(manifest.kind, object);
}

/** Secrets that the server tells only now are lost unless they are shown. */
function issuedLines(kind: Kind, object: object): string {
  const status: unknown = Reflect.get(object, "status");
  const lines = kind.issued.map((name) => {
    const value = isRecord(status) ? status[name] : undefined;
    return typeof value === "string" ? `  ${name}: ${printableLine(value)} (shown only this once)\n` : "";
  });
  return lines.join("");
}

async function printWritten(
  written: readonly (Resource & WrittenManifest)[],
  output: NonNullable<WriteManifestsOptions["output"]>,
): Promise<string> {
  const [first, ...others] = written;
  if (first === undefined) return "";
  if (output === "name") return written.map((each) => `${resourceName(each)}\n`).join("");
  if (others.length === 0) return toDocument(first.object, output);
  return toDocument({ apiVersion, kind: "List", items: written.map(({ object }) => object) }, output);
}
