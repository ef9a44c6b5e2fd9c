/** Functions that run in pages: they are sent there as text, and import nothing. What they use of a browser: */
interface PageElement {
  readonly textContent: string | null;
  readonly lastElementChild: PageElement | null;
  scrollTop: number;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
}

declare const document: PageElement & {
  readonly documentElement: PageElement;
  addEventListener(name: string, listener: () => void, options: Readonly<Record<string, boolean>>): void;
};
declare const MutationObserver: new (callback: () => void) => {
  observe(target: PageElement, options: Readonly<Record<string, boolean>>): void;
  disconnect(): void;
};
declare function requestAnimationFrame(callback: (nowMs: number) => void): void;

/** The times between pictures, and how many rows a list had at the end. */
export interface Frames {
  readonly p95Ms: number;
  readonly maxMs: number;
  readonly count: number;
}

/** When a text was first painted, in milliseconds since the page was asked for. */
export function paintedAt({ selector, text }: { selector: string; text: string }): Promise<number> {
  return new Promise((resolve) => {
    const isThere = (): boolean => document.querySelector(selector)?.textContent?.includes(text) === true;
    const done = (): void =>
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    if (isThere()) {
      done();
      return;
    }
    const observer = new MutationObserver(() => {
      if (!isThere()) return;
      observer.disconnect();
      done();
    });
    observer.observe(document.documentElement, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
}

/** When a table has so many rows and they are painted; in milliseconds since 1970. */
export function hasRows({ selector, count }: { selector: string; count: number }): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      const isThere = document.querySelector(selector)?.getAttribute("aria-rowcount") === String(count + 1);
      if (isThere) requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** When the first row of a table says something; in milliseconds since 1970. */
export function firstRowHas({ selector, text }: { selector: string; text: string }): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      const row = document.querySelector(`${selector} [aria-rowindex="2"]`);
      if (row?.textContent?.includes(text) === true) requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** When a text is painted somewhere in an element; in milliseconds since 1970. */
export function seenAt({ selector, text }: { selector: string; text: string }): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.querySelector(selector)?.textContent?.includes(text) === true)
        requestAnimationFrame(() => resolve(Date.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/**
 * From the next such event until a text is painted in an element that may come with it, and the longest between two
 * pictures of the screen on the way there.
 */
export function paintedAfter({
  event,
  selector,
  text,
}: {
  event: string;
  selector: string;
  text: string;
}): Promise<{ readonly paintMs: number; readonly maxFrameMs: number }> {
  return new Promise((resolve) => {
    const begin = (): void => {
      const startedAtMs = performance.now();
      let [lastMs, maxFrameMs, isThere] = [startedAtMs, 0, false];
      const look = (): void => {
        const nowMs = performance.now();
        maxFrameMs = Math.max(maxFrameMs, nowMs - lastMs);
        lastMs = nowMs;
        if (isThere) {
          resolve({ paintMs: nowMs - startedAtMs, maxFrameMs });
          return;
        }
        isThere = document.querySelector(selector)?.textContent?.includes(text) === true;
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    document.addEventListener(event, begin, { capture: true, once: true });
  });
}

/** How long the layouts of pictures of so many nodes took that the page has made, the first one first. */
export function layoutTimes(nodes: number): number[] {
  return performance
    .getEntriesByName("graph layout")
    .flatMap((entry) => ("detail" in entry && entry.detail === nodes ? [entry.duration] : []));
}

/** How old the last line of a list is at each picture for a while, from the first one that is new. */
export function watchBehind({
  selector,
  durationMs,
}: {
  selector: string;
  durationMs: number;
}): Promise<{ readonly frames: Frames; readonly p95Ms: number; readonly maxMs: number }> {
  return new Promise((resolve) => {
    const list = document.querySelector(selector);
    const calledAtMs = Date.now();
    const intervals: number[] = [];
    const ages: number[] = [];
    let startedAtMs = 0;
    let lastMs = 0;
    const next = (nowMs: number): void => {
      const text = list?.lastElementChild?.textContent ?? "";
      const writtenAtMs = Number(/ at=([0-9]+) /u.exec(text)?.[1] ?? 0);
      if (startedAtMs > 0) {
        intervals.push(nowMs - lastMs);
        // Now and then the last line is one that says something else.
        if (writtenAtMs > 0) ages.push(Date.now() - writtenAtMs);
      } else if (writtenAtMs > calledAtMs) startedAtMs = nowMs;
      lastMs = nowMs;
      if (startedAtMs === 0 || nowMs - startedAtMs < durationMs) {
        requestAnimationFrame(next);
        return;
      }
      const [times, olds] = [intervals, ages].map((values) => values.toSorted((a, b) => a - b));
      const at95 = (sorted: readonly number[] = []): number => sorted[Math.floor(sorted.length * 0.95)] ?? 0;
      resolve({
        frames: { p95Ms: at95(times), maxMs: times?.at(-1) ?? 0, count: intervals.length },
        p95Ms: at95(olds),
        maxMs: olds?.at(-1) ?? 0,
      });
    };
    requestAnimationFrame(next);
  });
}

/** Scrolls through a list, or only looks at it, for a while; how long the pictures took. */
export function watchFrames({
  selector,
  durationMs,
  stepPx,
}: {
  selector: string;
  durationMs: number;
  stepPx: number;
}): Promise<Frames> {
  return new Promise((resolve) => {
    const list = document.querySelector(selector);
    const intervals: number[] = [];
    let startedAtMs = 0;
    let lastMs = 0;
    const next = (nowMs: number): void => {
      if (startedAtMs === 0) startedAtMs = nowMs;
      else intervals.push(nowMs - lastMs);
      lastMs = nowMs;
      if (list !== null && stepPx > 0) list.scrollTop += stepPx;
      if (nowMs - startedAtMs < durationMs) {
        requestAnimationFrame(next);
        return;
      }
      const sorted = intervals.toSorted((a, b) => a - b);
      resolve({
        p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
        maxMs: sorted.at(-1) ?? 0,
        count: sorted.length,
      });
    };
    requestAnimationFrame(next);
  });
}
