import { expect, it } from "vitest";
import { missingProgramsText } from "./install-missing-programs.ts";
import { testPrograms } from "./test-programs.ts";

it("names what is missing, why it was not installed, and the commands that install it", () => {
  const missing = testPrograms.filter(({ program }) => program === "postgres" || program === "kubectl");
  expect(missingProgramsText(missing, { user: "the tests", obstacle: "this is not the root user" })).toBe(
    [
      "The tests need programs that are not on this machine:",
      "  postgres  the PostgreSQL server",
      "  kubectl   the command line of Kubernetes",
      "They were not installed, because this is not the root user. Install them and try again:",
      "  Debian, Ubuntu:  sudo apt-get install postgresql kubernetes-client",
      "  macOS:           brew install postgresql kubernetes-cli",
      "",
    ].join("\n"),
  );
});
