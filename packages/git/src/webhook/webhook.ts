import { hasValidSecret } from "./delivery-secret.ts";
import { readPayload, type WebhookProvider } from "./payload.ts";

export interface WebhookRequest {
  /** As Node has them: names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came, before anybody parsed them. */
  readonly body: Buffer;
  /** What the sender and this hook both know. */
  readonly secret: string;
  readonly maxBodyBytes?: number;
}

type WebhookRefusal =
  | "badSignature"
  | "noRepository"
  | "notPush"
  | "tooLarge"
  | "unknownSender"
  | "unreadable"
  | "unsigned";

/** What a delivery is about, or why nothing is done about it. */
export type WebhookDelivery =
  | {
      readonly accepted: true;
      readonly provider: WebhookProvider;
      /** `ping` is sent when a hook is set up. */
      readonly event: "push" | "ping";
      /** All addresses that the sender knows for the repository, as `normaliseUrl` writes them. */
      readonly repositories: readonly string[];
      /** Full names that changed; empty when the sender does not say which. */
      readonly refs: readonly string[];
    }
  | { readonly accepted: false; readonly reason: WebhookRefusal; readonly message: string };

const messages: Readonly<Record<WebhookRefusal, string>> = {
  badSignature:
    "The delivery is not signed with the secret of this hook; write the same secret at the sender.",
  noRepository: "The delivery does not name a repository.",
  notPush: "The delivery is not about a push; only those are of use here.",
  tooLarge: "The delivery is too large.",
  unknownSender: "The delivery is of no kind that is known here.",
  unreadable: "The delivery is not JSON; choose application/json at the sender.",
  unsigned: "The delivery has no signature; set the secret of this hook at the sender.",
};

/** The usual push has some kilobytes; one of a thousand commits, most of a megabyte. */
const defaultMaxBodyBytes = 1024 * 1024;

/** Headers that say who sends. The order counts: Gitea sends those of GitHub as well. */
const senders: readonly (readonly [header: string, provider: WebhookProvider])[] = [
  ["x-gitea-event", "gitea"],
  ["x-forgejo-event", "gitea"],
  ["x-gogs-event", "gitea"],
  ["x-gitlab-event", "gitlab"],
  ["x-event-key", "bitbucket"],
  ["x-github-event", "github"],
  ["authorization", "plain"],
  ["x-hub-signature-256", "plain"],
];

/**
 * Reads a delivery of a webhook. A sender that knows the secret is believed nothing but which repository and which refs
 * to look at; the body of any other is not even parsed.
 */
export function readWebhook({ headers, body, secret, maxBodyBytes }: WebhookRequest): WebhookDelivery {
  const single = singleValues(headers);
  const [eventHeader, provider] = senders.find(([header]) => single.has(header)) ?? [];
  if (body.length > (maxBodyBytes ?? defaultMaxBodyBytes)) return refused("tooLarge");
  if (eventHeader === undefined || provider === undefined) return refused("unknownSender");
  const isValid = hasValidSecret(provider, { headers: single, body, secret });
  if (isValid === undefined) return refused("unsigned");
  if (!isValid) return refused("badSignature");
  const payload = readPayload(provider, {
    event: single.get(eventHeader) ?? "",
    contentType: single.get("content-type") ?? "",
    body,
  });
  return typeof payload === "string" ? refused(payload) : { accepted: true, provider, ...payload };
}

function refused(reason: WebhookRefusal): WebhookDelivery {
  return { accepted: false, reason, message: messages[reason] };
}

/** A header that came twice says two things, so it says nothing. */
function singleValues(headers: WebhookRequest["headers"]): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name.toLowerCase(), value]] : [],
  );
  return new Map(entries);
}
