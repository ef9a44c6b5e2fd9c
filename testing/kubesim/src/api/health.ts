import type { ServerResponse } from "node:http";

import { sendText } from "./respond.ts";

const checks = ["ping", "log", "etcd", "poststarthook/start-kubesim"];

/** `/healthz`, `/livez` and `/readyz`: one word, or a line per check for those who ask for more. */
export function sendHealth(response: ServerResponse, path: string, query: URLSearchParams): void {
  const name = path.split("/")[1] ?? "healthz";
  const verbose = query.has("verbose");
  const lines = [...checks.map((check) => `[+]${check} ok`), `${name} check passed`, ""];
  sendText(response, {
    code: 200,
    type: "text/plain; charset=utf-8",
    text: verbose ? lines.join("\n") : "ok",
  });
}
