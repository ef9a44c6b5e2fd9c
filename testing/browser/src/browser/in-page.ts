/**
 * Functions that run in pages. They are sent there as text: each stands alone, and imports nothing. The parts of a
 * browser that they use are declared here, because everything else in this workspace runs in Node, where there are none.
 */
declare function addEventListener(
  type: "securitypolicyviolation",
  listener: (event: {
    readonly violatedDirective: string;
    readonly blockedURI: string;
    readonly sample: string;
  }) => void,
): void;
declare const console: { error(text: string): void };
declare const document: GridPart & {
  readonly cookie: string;
  readonly activeElement: unknown;
  elementFromPoint(x: number, y: number): unknown;
  readonly documentElement: { readonly outerHTML: string };
};
declare const location: { readonly href: string };
declare const localStorage: Readonly<Record<string, string>>;
declare const sessionStorage: Readonly<Record<string, string>>;
declare const indexedDB: { databases(): Promise<readonly { readonly name?: string }[]> };
declare const WebSocket: new (address: string) => {
  addEventListener(type: "open" | "error" | "close", listener: () => void): void;
};
declare function requestAnimationFrame(callback: () => void): void;
/** Brought by whoever looked before. */
declare const axe: {
  run(options: { readonly resultTypes: readonly string[] }): Promise<{ readonly violations: unknown }>;
};
declare const caches: { keys(): Promise<readonly string[]> };

/** Says aloud what the policy of the page has stopped. */
export function reportViolations(): void {
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
    console.error(`securitypolicyviolation: ${violatedDirective} ${blockedURI} ${sample}`);
  });
}

/** Everything of a page that a script in it could read and keep. */
export async function readableByScripts(): Promise<Readonly<Record<string, string>>> {
  const databases = await indexedDB.databases();
  return {
    address: location.href,
    cookies: document.cookie,
    localStorage: JSON.stringify(Object.entries(localStorage)),
    sessionStorage: JSON.stringify(Object.entries(sessionStorage)),
    databases: JSON.stringify(databases.map(({ name }) => name)),
    caches: JSON.stringify(await caches.keys()),
    document: document.documentElement.outerHTML,
  };
}

/**
 * Asks a server for all that could do harm, as a page of an attacker would: reads, writes that need no preflight, writes
 * that do, and a socket. Tells which answers it could read, and whether the socket was opened.
 */
export async function forgeRequests(
  origin: string,
): Promise<{ readonly read: readonly string[]; readonly isSocketOpen: boolean }> {
  const cluster = JSON.stringify({ metadata: { name: "forged" }, spec: {} });
  const namespace = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "forged" } });
  const credentials = "include";
  const json = { "content-type": "application/json" };
  const own = { ...json, "x-bowline-console": "1" };
  const attempts: readonly (readonly [string, RequestInit])[] = [
    ["/api/v1/clusters", { credentials }],
    ["/api/v1/clusters", { credentials, mode: "no-cors", method: "POST", body: cluster }],
    ["/api/v1/clusters", { credentials, method: "POST", body: cluster, headers: json }],
    ["/api/v1/clusters", { credentials, method: "POST", body: cluster, headers: own }],
    ["/api/v1/clusters/edge", { credentials, mode: "no-cors", method: "POST" }],
    ["/clusters/edge/api/v1/secrets", { credentials }],
    ["/clusters/edge/api/v1/namespaces", { credentials, mode: "no-cors", method: "POST", body: namespace }],
  ];
  const read: string[] = [];
  for (const [path, init] of attempts) {
    try {
      const response = await fetch(`${origin}${path}`, init);
      if (response.ok) read.push(`${init.method ?? "GET"} ${path}`);
    } catch {
      // Stopped by the browser.
    }
  }
  const isSocketOpen = await new Promise<boolean>((resolve) => {
    const socket = new WebSocket(`${origin.replace("http", "ws")}/api/v1/stream`);
    socket.addEventListener("open", () => resolve(true));
    socket.addEventListener("close", () => resolve(false));
  });
  return { read, isSocketOpen };
}

/** Resolves when what has come until now is drawn. */
export function nextPictures(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/** Whether keys go to an element. */
export function hasFocus(element: unknown): boolean {
  return element === document.activeElement;
}

interface GridPart {
  readonly textContent: string | null;
  querySelectorAll(selector: string): Iterable<GridPart>;
  readonly lastChild: { readonly textContent: string | null } | null;
  getBoundingClientRect(): Readonly<Record<"left" | "right" | "top" | "bottom", number>>;
}

/** Lets axe look at the page once more, with the script that was sent to it before. */
export async function lookAgain(): Promise<unknown> {
  const { violations } = await axe.run({ resultTypes: ["violations"] });
  return violations;
}

/** The headings of tables that the button for their columns lies over, and how many headings there are. */
export function coveredHeadings(): { readonly headings: number; readonly covered: readonly string[] } {
  const buttons = [...document.querySelectorAll("button[aria-expanded]")]
    .filter(({ textContent }) => textContent === "Columns")
    .map((button) => button.getBoundingClientRect());
  const headings = [...document.querySelectorAll("[role=columnheader]")];
  const covered = headings.filter((heading) => {
    const { left, right, top, bottom } = heading.getBoundingClientRect();
    return buttons.some(
      (button) => button.left < right && button.right > left && button.top < bottom && button.bottom > top,
    );
  });
  return { headings: headings.length, covered: covered.map(({ textContent }) => textContent?.trim() ?? "") };
}

/** The texts of a table's cells, row by row, with its headers first. Marks before a text are left out. */
export function gridCells(grid: GridPart): string[][] {
  return [...grid.querySelectorAll("[role=row]")].map((row) =>
    [...row.querySelectorAll("[role=columnheader], [role=gridcell]")].map(
      (cell) => cell.lastChild?.textContent?.trim() ?? "",
    ),
  );
}

interface BoxPart {
  getBoundingClientRect(): { readonly left: number; readonly top: number; readonly bottom: number };
}

/** Whether the first and the last line of a text are in the window, with nothing in front of them. */
export function isInSight(text: BoxPart): boolean {
  const { left, top, bottom } = text.getBoundingClientRect();
  return [top + 1, bottom - 1].every((y) => document.elementFromPoint(left + 1, y) === text);
}
