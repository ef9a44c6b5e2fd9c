import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { createTar } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { requireNewFile, timeName, writeNewFile } from "../../output/new-file.ts";
import { sizeText } from "../../output/size-text.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { bundleFiles, type BundleFile } from "./bundle-files.ts";

const compress = promisify(gzip);

export function addSupportBundleCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("support-bundle [FILE]")
    .description(
      "Gather what others need to help you into one .tar.gz: versions, what `bowline doctor` finds, the settings of the server, objects, agents, the last events and metrics. Values of Credentials, tokens, manifests, parameters and annotations are left out, and everything else is searched for secrets; names of clusters, users, hosts and workloads are in it. Look at it before you send it.",
    )
    .option("--data <FOLDER>", "Look at the data folder of a server on this machine, too")
    .option("--force", "Replace the file if it is there", false)
    .action((file: string | undefined, options: BundleOptions) => supportBundle(context, file, options));
  addExamples(command, [
    { does: "Of the server that you are signed in to, as admin", run: "bowline support-bundle" },
    {
      does: "Look at what is in it",
      run: "bowline support-bundle bowline.tar.gz && tar -xzf bowline.tar.gz",
    },
    { does: "Of a server that does not start", run: "bowline support-bundle --data /var/lib/bowline" },
  ]);
}

interface BundleOptions {
  readonly data?: string;
  readonly force: boolean;
}

async function supportBundle(
  context: CommandContext,
  given: string | undefined,
  { data, force }: BundleOptions,
): Promise<void> {
  const { terminal, clock } = context;
  const file = given ?? `bowline-support-${timeName(clock.now())}.tar.gz`;
  requireNewFile(file, { force });
  const files = await bundleFiles(context, data === undefined ? {} : { "--data": data });
  const bytes = await compress(archiveOf(files));
  await writeNewFile(file, oneChunk(bytes), { force });
  terminal.out(`${file}: ${sizeText(bytes.length)}\n\n`);
  const rows = files.map(({ path, about, content }) => [path, sizeText(Buffer.byteLength(content)), about]);
  terminal.out(new TableWriter(["FILE", "SIZE", "WHAT IT IS"]).rows(rows));
  terminal.error(
    "\nLook at it before you send it: names of clusters, users, hosts and workloads are in it, and nobody knows all secrets by their looks.\n",
  );
}

function archiveOf(files: readonly BundleFile[]): Buffer {
  const list = files.map(({ path, about }) => `${path}\n  ${about}\n`).join("");
  const readme = `What is in here. It was searched for secrets; look at it all the same before you send it.\n\n${list}`;
  return createTar(
    [{ path: "README.txt", content: readme }, ...files].map(({ path, content }) => ({
      type: "file",
      path: `bowline-support/${path}`,
      content: Buffer.from(content),
      mode: 0o600,
    })),
  );
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
