/**
 * `npm test` begins here: makes sure that the programs its tests start are on this machine. As root on Debian it
 * installs what is missing; anywhere else it names it and ends with exit code 1.
 */
import { missingPrograms, testPrograms } from "@bowline/test-services/programs";

const missing = await missingPrograms(testPrograms);
if (missing.length > 0) {
  // Loaded only now: with nothing to install this script should cost nothing.
  const { installMissingPrograms } = await import("@bowline/test-services");
  process.exitCode = await installMissingPrograms(missing, "the tests");
}
