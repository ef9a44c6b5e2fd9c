/**
 * Names whose values are never logged. A field, header or query parameter matches when its name ends with one of these,
 * in whatever case and with or without separators: `token` covers `joinToken`, `X-Vault-Token` and `access_token`.
 */
export const secretNames = [
  "authorization",
  "token",
  "password",
  "passwd",
  "passphrase",
  "secret",
  "credential",
  "credentials",
  "api-key",
  "access-key",
  "secret-access-key",
  "private-key",
  "encryption-key",
  "client-key-data",
  "cookie",
  "cookies",
  // The values of a Kubernetes Secret, and the annotation in which kubectl keeps a copy of them.
  "string-data",
  "last-applied-configuration",
] as const;

const redacted = "[Redacted]";

const anyName = `(?:${secretNames.map((name) => name.replaceAll("-", "[-_]?")).join("|")})`;
const isSecretName = new RegExp(`${anyName}$`, "i");

/** Secrets inside a text: each pattern keeps group 1 and drops what follows it. */
const secretTexts = [
  // Tokens of Bowline itself, for users (bwl_), for agents that join (bwj_), for sessions (bws_) and the one-time codes
  // they are made of (bwc_); status shows no more than eight letters.
  /\b(bw[cjls]_\w{0,8})[\w.-]{16,}/g,
  /\b((?:bearer|basic)\s+)[\w+/=.~-]{8,}/gi,
  /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi,
  /(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[^-]*/g,
  new RegExp(`(${anyName}=)[^\\s&"';,]+`, "gi"),
  // JSON inside a text, and the same once more escaped.
  new RegExp(`(${anyName}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)+`, "gi"),
  new RegExp(`(${anyName}\\\\+"\\s*:\\s*\\\\+")(?:[^"\\\\]|\\\\[^"])+`, "gi"),
];

/** Kinds whose objects hold secrets under a name that says nothing; the items of a list carry no kind. */
const secretFieldOfKind = new Map<unknown, string>([
  ["Secret", "data"],
  ["SecretList", "items"],
]);

/** Cheap and coarse: most lines have none of these words and pass unread. */
const maybeSecret = new RegExp(`${anyName}|bearer|basic|bw[cjls]_|://[^/]*@|PRIVATE KEY|"Secret`, "i");

const unreadableLine = `{"level":"error","msg":"Dropped a log line that could not be searched for secrets"}\n`;

/** Takes secrets out of a line of JSON, wherever in it they are. */
export function redactLine(line: string): string {
  if (!maybeSecret.test(line)) return line;
  try {
    return `${JSON.stringify(redactSecrets(JSON.parse(line)))}\n`;
  } catch {
    // Nested too deeply, for one. Better no line than a secret, and a log call must not throw.
    return unreadableLine;
  }
}

/** A copy of a JSON value with every secret in it replaced. */
export function redactSecrets(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map((item, index) => redactField(value[index - 1], item));
  if (typeof value !== "object" || value === null) return value;
  const secretField = "kind" in value ? secretFieldOfKind.get(value.kind) : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === secretField ? redacted : redactField(name, field),
    ]),
  );
}

/** In a list, the item before counts as the name: that is how HTTP libraries hand on raw headers. */
function redactField(name: unknown, value: unknown): unknown {
  const hides = typeof name === "string" && isSecretName.test(name);
  return hides && value !== null && typeof value !== "boolean" ? redacted : redactSecrets(value);
}

export function redactText(text: string): string {
  return secretTexts.reduce((rest, pattern) => rest.replace(pattern, `$1${redacted}`), text);
}
