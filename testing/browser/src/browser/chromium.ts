import { chromiumProgram, requireProgram } from "@bowline/test-services";
import { chromium, type Browser } from "playwright-core";

/** Nothing of the browser's own goes on beside the page. */
const quiet = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** The Chromium of this machine, without a window. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: await requireProgram(chromiumProgram),
    args: [...quiet, ...args],
    timeout: 60_000,
  });
}
