import { BowlineError } from "@bowline/core";
import { installDebianPackages, showStep, whyNoDebianInstall } from "@bowline/test-services";
import { missingPrograms, type TestProgram } from "@bowline/test-services/programs";

/** Installs the packages of `missing` where it can, or says who should install what. Resolves to an exit code. */
export async function installMissingPrograms(missing: readonly TestProgram[]): Promise<number> {
  const obstacle = await whyNoDebianInstall();
  if (obstacle !== undefined) {
    process.stderr.write(missingProgramsText(missing, obstacle));
    return 1;
  }
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const interrupt = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    interrupt.abort(new BowlineError("Cancelled", `Stopped by ${signal}.`));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await showStep(process.stdout, `Install ${packages.join(", ")} for the tests`, () =>
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
  process.stderr.write(
    missingProgramsText(stillMissing, "their packages are installed, but not where tests look"),
  );
  return 1;
}

/** Which programs, why nobody installs them now, and the commands that do. */
export function missingProgramsText(missing: readonly TestProgram[], obstacle: string): string {
  const width = Math.max(...missing.map(({ program }) => program.length));
  return [
    "The tests need programs that are not on this machine:",
    ...missing.map(({ program, purpose }) => `  ${program.padEnd(width)}  ${purpose}`),
    `They were not installed, because ${obstacle}. Install them and try again:`,
    `  Debian, Ubuntu:  sudo apt-get install ${missing.map((each) => each.debianPackage).join(" ")}`,
    `  macOS:           brew install ${missing.map((each) => each.homebrewFormula).join(" ")}`,
    "",
  ].join("\n");
}
