import { startChromium, Visit } from "@bowline/test-browser";
import type { Browser, CDPSession, Page } from "playwright-core";

import { MeasuredProcess } from "../measure-process.ts";
import { median } from "../median.ts";
import type { Frames } from "./in-page.ts";
import { plainListPage } from "./plain-list.ts";
import type { Opened } from "./web-order.ts";

/** Where the rows that are measured are a table. */
export const rowsPath = "/c/edge/k/core/v1/pods";
export const table = '[role="grid"]';
export const rowCount = 10_000;

/** A server with the console in a process of its own, and a browser. */
export class Stage implements AsyncDisposable {
  readonly source: MeasuredProcess;
  readonly browser: Browser;
  readonly #consoleUrl: string;
  readonly #owned: AsyncDisposableStack;

  static async open(): Promise<Stage> {
    await using opening = new AsyncDisposableStack();
    const source = opening.use(new MeasuredProcess(new URL("web-process.ts", import.meta.url), []));
    const { consoleUrl } = await source.ask<Opened>("open");
    // Heaps are compared after garbage was collected, and a frame that nobody sees must be drawn all the same.
    const browser = await startChromium([
      "--disable-renderer-backgrounding",
      "--disable-background-timer-throttling",
    ]);
    opening.defer(() => browser.close());
    return new Stage({ source, browser, consoleUrl, owned: opening.move() });
  }

  private constructor(parts: {
    readonly source: MeasuredProcess;
    readonly browser: Browser;
    readonly consoleUrl: string;
    readonly owned: AsyncDisposableStack;
  }) {
    this.source = parts.source;
    this.browser = parts.browser;
    this.#consoleUrl = parts.consoleUrl;
    this.#owned = parts.owned;
  }

  /** Somebody who has just signed in, with nothing in the cache of their browser. */
  async signIn(): Promise<Visit> {
    const visit = await Visit.open(this.browser, this.#consoleUrl);
    await visit.page.goto(await this.source.ask<string>("signInUrl"));
    await visit.heading("Fleet").waitFor();
    return visit;
  }

  /** The list that everything is compared with. */
  async openPlainList(): Promise<Page> {
    const page = await this.browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.setContent(plainListPage(rowCount));
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

/** Each of their numbers from the middle of the rounds. */
export function middleFrames(rounds: readonly Frames[]): Frames {
  return {
    p95Ms: median(rounds.map(({ p95Ms }) => p95Ms)),
    maxMs: median(rounds.map(({ maxMs }) => maxMs)),
    count: median(rounds.map(({ count }) => count)),
  };
}

/** What a browser counts of one page. */
export class PageCounts {
  readonly #session: CDPSession;

  static async of(page: Page): Promise<PageCounts> {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    return new PageCounts(session);
  }

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  /** Seconds in which the main thread had something to do. */
  async taskSeconds(): Promise<number> {
    return this.#metric("TaskDuration");
  }

  /** Bytes of the heap that are still reachable. */
  async heapBytes(): Promise<number> {
    await this.#session.send("HeapProfiler.collectGarbage");
    return this.#metric("JSHeapUsedSize");
  }

  async #metric(name: string): Promise<number> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const found = metrics.find((metric) => metric.name === name);
    if (found === undefined) throw new Error(`The browser does not count ${name}.`);
    return found.value;
  }
}
