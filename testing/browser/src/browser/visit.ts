import type { Browser, BrowserContext, Locator, Page, Request } from "playwright-core";

import { Complaints } from "./complaints.ts";
import { nextPictures } from "./in-page.ts";

export interface VisitOptions {
  readonly theme?: "light" | "dark";
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Longer than anything should take, on a machine that has much else to do. */
const waitLimitMs = 60_000;

/** Somebody with a browser of their own: cookies and storage are nobody else's. */
export class Visit implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: Complaints;
  readonly #consoleUrl: string;
  /** What scripts of the page have asked and is not answered. */
  readonly #asked = new Set<Request>();

  static async open(
    browser: Browser,
    consoleUrl: string,
    { theme = "light", viewport = { width: 1280, height: 800 } }: VisitOptions = {},
  ): Promise<Visit> {
    const context = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: "reduce" });
    context.setDefaultTimeout(waitLimitMs);
    const complaints = new Complaints();
    await complaints.listen(context);
    return new Visit({ context, page: await context.newPage(), complaints }, consoleUrl);
  }

  private constructor(
    { context, page, complaints }: Pick<Visit, "context" | "page" | "complaints">,
    consoleUrl: string,
  ) {
    this.context = context;
    this.page = page;
    this.complaints = complaints;
    this.#consoleUrl = consoleUrl;
    page.on("request", (request) => {
      if (request.resourceType() === "fetch") this.#asked.add(request);
    });
    page.on("requestfinished", (request) => void this.#asked.delete(request));
    page.on("requestfailed", (request) => void this.#asked.delete(request));
  }

  /** Types into an editor: what a line ends with becomes something else. */
  async replaceEnd(line: RegExp, end: string, text: string): Promise<void> {
    await this.page.locator(".cm-line").filter({ hasText: line }).first().click();
    await this.page.keyboard.press("End");
    for (const _ of end) await this.page.keyboard.press("Backspace");
    await this.page.keyboard.type(text);
  }

  /** Presses two keys of which the second counts only soon after the first: neither waits for what the page makes of it. */
  async pressBoth(first: string, second: string): Promise<void> {
    await Promise.all([this.page.keyboard.press(first), this.page.keyboard.press(second)]);
  }

  /** The address of a place of the console: `/clusters`. */
  address(path: string): string {
    return new URL(path.replace(/^\//u, ""), this.#consoleUrl).href;
  }

  /** Goes to a place of the console, as by its address. */
  async open(path: string): Promise<void> {
    await this.page.goto(this.address(path));
  }

  /** Goes to a place and waits until all that it shows at first is there. */
  async arrive(path: string, heading: string | RegExp): Promise<void> {
    await this.open(path);
    await this.heading(heading).waitFor();
    await this.page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    await this.#answered();
    // The first of those there are: with it gone, the next is the first.
    await this.page
      .getByText(/^(?:Waiting|Still waiting) for /u)
      .first()
      .waitFor({ state: "detached" });
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole("heading", { level: 1, name });
  }

  /** Waits until everything that the page has asked is answered, and what it asks then. */
  async #answered(): Promise<void> {
    do {
      await Promise.all([...this.#asked].map((request) => request.response().catch(() => {})));
      await this.page.evaluate(nextPictures);
    } while (this.#asked.size > 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
