/** What every line has, and is shown at its beginning. */
const ownFields: ReadonlySet<string> = new Set(["level", "ts", "logger", "msg"]);

/** A destination for the logger that writes lines for people instead of JSON. */
export function textLog(write: (line: string) => void = writeToStandardError): {
  write: (line: string) => void;
} {
  return { write: (line) => write(formatLine(line)) };
}

function formatLine(line: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return line;
  }
  const { ts = "", level = "", msg = "" } = fields;
  const others = Object.entries(fields).filter(([name]) => !ownFields.has(name));
  const head = `${textOf(ts)} ${textOf(level).toUpperCase().padEnd(5)} ${textOf(msg)}`;
  return `${[head, ...others.map(([name, value]) => `${name}=${formatValue(value)}`)].join(" ")}\n`;
}

/** An error is told by its message and what caused it; its stack is for the JSON format. */
function formatValue(value: unknown): string {
  if (isError(value)) {
    const cause = isError(value.cause) ? `: ${formatValue(value.cause)}` : "";
    return `${value.message}${cause}`;
  }
  return typeof value === "string" && /^\S+$/u.test(value) ? value : JSON.stringify(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isError(value: unknown): value is { readonly message: string; readonly cause?: unknown } {
  return typeof value === "object" && value !== null && "message" in value && "type" in value;
}

/** Node writes to it at once, whatever it is, so the last lines before a crash are not lost. */
function writeToStandardError(line: string): void {
  process.stderr.write(line);
}
