import { BowlineError } from "@bowline/core";
import { installDebianPackages, whyNoDebianInstall } from "./debian-packages.ts";
import { missingPrograms } from "./find-program.ts";
import { showStep } from "./step-progress.ts";
import type { TestProgram } from "./test-programs.ts";

/**
 * Installs the packages of `missing` where it can, or says who should install what for `user`, such as "the tests".
 * Resolves to an exit code.
 */
export async function installMissingPrograms(missing: readonly TestProgram[], user: string): Promise<number> {
  const whyNot = await whyNoDebianInstall();
  if (whyNot !== undefined) {
    process.stderr.write(missingProgramsText(missing, { user, obstacle: whyNot }));
    return 1;
  }
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const interrupt = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    interrupt.abort(new BowlineError("Cancelled", `Stopped by ${signal}.`));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await showStep(process.stdout, `Install ${packages.join(", ")} for ${user}`, () =>
      installDebianPackages(packages, { signal: interrupt.signal }),
    );
  } catch (error) {
    process.stderr.write(`${BowlineError.from(error).message}\n`);
    return interrupt.signal.aborted ? 130 : 1;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  const stillMissing = await missingPrograms(missing);
  if (stillMissing.length === 0) return 0;
  const obstacle = "their packages are installed, but not where programs are looked for";
  process.stderr.write(missingProgramsText(stillMissing, { user, obstacle }));
  return 1;
}

/** Which programs, why nobody installs them now, and the commands that do. */
export function missingProgramsText(
  missing: readonly TestProgram[],
  { user, obstacle }: { readonly user: string; readonly obstacle: string },
): string {
  const width = Math.max(...missing.map(({ program }) => program.length));
  return [
    `${user.charAt(0).toUpperCase()}${user.slice(1)} need programs that are not on this machine:`,
    ...missing.map(({ program, purpose }) => `  ${program.padEnd(width)}  ${purpose}`),
    `They were not installed, because ${obstacle}. Install them and try again:`,
    `  Debian, Ubuntu:  sudo apt-get install ${missing.map((each) => each.debianPackage).join(" ")}`,
    `  macOS:           brew install ${missing.map((each) => each.homebrewFormula).join(" ")}`,
    "",
  ].join("\n");
}
