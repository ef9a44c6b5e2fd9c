import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

import type { Clock } from "@bowline/core";

import type { SocketUpgrade } from "../api/socket-upgrade.ts";
import { sendError, sendJson, sendText } from "../api/respond.ts";
import type { RequestTraits } from "../api/watch-registry.ts";
import type { SimStatusError } from "../store/sim-status-error.ts";
import { rewriteAnswer, type RewriteLine } from "./rewrite-answer.ts";
import { matchesFault, type FaultMatch } from "./fault-match.ts";

/** What happens to a request that a fault meets. */
export type RequestEffect =
  | { readonly kind: "answer"; readonly error: SimStatusError }
  | { readonly kind: "endStream"; readonly error: SimStatusError }
  | { readonly kind: "html"; readonly code: number }
  | { readonly kind: "delay"; readonly delayMs: number }
  | { readonly kind: "rewrite"; readonly rewrite: RewriteLine }
  | { readonly kind: "freeze"; readonly freeze: (socket: Socket) => void }
  | { readonly kind: "reset" };

export interface RequestRule {
  readonly match: FaultMatch;
  readonly effect: RequestEffect;
  /** Whether this request, which matches, is met; counts and chances are kept here. */
  readonly meets: () => boolean;
}

/** The faults that wait at the door. Rules are asked in the order they came. */
export class RequestFaults {
  readonly #clock: Clock;
  readonly #rules = new Set<RequestRule>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(rule: RequestRule): () => void {
    this.#rules.add(rule);
    return () => void this.#rules.delete(rule);
  }

  /** True where a fault has taken over the answer. */
  async intercept(
    traits: RequestTraits,
    response: ServerResponse,
    upgrade?: SocketUpgrade,
  ): Promise<boolean> {
    for (const { match, effect, meets } of this.#rules) {
      if (!matchesFault(match, traits) || !meets()) continue;
      if (effect.kind === "delay") await this.#clock.sleep(effect.delayMs);
      else if (effect.kind === "rewrite") {
        rewriteAnswer(response, effect.rewrite);
        upgrade?.rewriteWith(effect.rewrite);
      } else return takeOver(effect, response);
    }
    return response.destroyed;
  }
}

function takeOver(
  effect: Exclude<RequestEffect, { kind: "delay" | "rewrite" }>,
  response: ServerResponse,
): true {
  switch (effect.kind) {
    case "answer":
      sendError(response, effect.error);
      break;
    case "endStream":
      sendJson(response, 200, { type: "ERROR", object: effect.error.toStatus() });
      break;
    case "html":
      sendText(response, { code: effect.code, type: "text/html", text: htmlPage });
      break;
    case "freeze":
      if (response.socket) effect.freeze(response.socket);
      break;
    case "reset":
      response.socket?.resetAndDestroy();
      break;
  }
  return true;
}

/** What a proxy or a login page in front of the server would say. */
const htmlPage =
  "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n";
