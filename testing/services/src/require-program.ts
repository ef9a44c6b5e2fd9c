import { BowlineError } from "@bowline/core";
import { findProgram, type RequiredProgram } from "./find-program.ts";

/** The path of the program, or an error that names the package to install. */
export async function requireProgram(required: RequiredProgram): Promise<string> {
  const path = await findProgram(required);
  if (path !== undefined) return path;
  throw new BowlineError(
    "MissingProgram",
    `There is no program ${required.program} on this machine. On Debian: apt-get install ${required.debianPackage}`,
  );
}
