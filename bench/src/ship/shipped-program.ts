import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { bowlineImage, bundleProgram, createImageArchive, makeExecutable } from "@bowline/packaging";

/** The program in the forms in which people get it; gone when disposed. */
export interface ShippedProgram extends AsyncDisposable {
  /** The file that Node runs in the image. */
  readonly main: string;
  readonly executable: string;
  /** Its name, and the file that container engines load. */
  readonly image: { readonly name: string; readonly archive: string };
  readonly imageBytes: number;
  readonly executableBytes: number;
  /** What the image sets. */
  readonly env: NodeJS.ProcessEnv;
}

export async function shipProgram(): Promise<ShippedProgram> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-ship-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const program = await bundleProgram(join(folder, "program"));
    const image = await bowlineImage(program, "localhost/bowline:bench");
    const executable = join(folder, "bowline");
    await makeExecutable(program, executable);
    // Its first start on this machine reads it from the disk.
    await promisify(execFile)(executable, ["version", "--client"]);
    const archive = join(folder, "image.tar");
    await writeFile(archive, await createImageArchive(image));
    const { MALLOC_ARENA_MAX } = image.env ?? {};
    return {
      main: join(program.folder, "dist", "bowline.mjs"),
      executable,
      image: { name: image.name, archive },
      imageBytes: (await stat(archive)).size,
      executableBytes: (await stat(executable)).size,
      env: { MALLOC_ARENA_MAX },
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
