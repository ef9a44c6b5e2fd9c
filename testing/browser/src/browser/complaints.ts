import type { BrowserContext, ConsoleMessage } from "playwright-core";

import { reportViolations } from "./in-page.ts";

/** A request that a page breaks off itself, when somebody goes on before it is answered. */
const brokenOff = "net::ERR_ABORTED";

/** All that a browser finds wrong with pages, in one line each. */
export class Complaints {
  readonly #found: string[] = [];
  readonly #expected: RegExp[] = [];

  /** Listens to every page of the context, also to those that are opened later. */
  async listen(context: BrowserContext): Promise<void> {
    await context.addInitScript(reportViolations);
    context.on("console", (message) => this.#note(message));
    context.on("weberror", (thrown) => void this.#found.push(`exception: ${thrown.error().message}`));
    context.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? "no reason";
      if (why !== brokenOff) this.#found.push(`request failed: ${why} ${request.url()}`);
    });
  }

  /** What matches is part of the test. */
  expect(...patterns: readonly RegExp[]): void {
    this.#expected.push(...patterns);
  }

  get all(): readonly string[] {
    return this.#found;
  }

  get unexpected(): string[] {
    return this.#found.filter((line) => !this.#expected.some((pattern) => pattern.test(line)));
  }

  #note(message: ConsoleMessage): void {
    if (message.type() === "error") this.#found.push(`${message.text()} ${message.location().url}`.trim());
  }
}
