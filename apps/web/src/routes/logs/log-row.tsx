import { memo, type CSSProperties, type ReactNode } from "react";

import { ansiPieces, type AnsiPiece, type AnsiStyle } from "../../logs/ansi.ts";
import { fieldsOf, levelOf, type LogLevel } from "../../logs/log-level.ts";
import type { LogLine } from "../../logs/log-line.ts";
import { markRanges, type MatchRange } from "../../logs/log-query.ts";
import { cleanText } from "../../text/clean-text.ts";

export interface LogRowProps {
  readonly line: LogLine;
  /** The letter and the name of its source; missing where there is one source alone. */
  readonly letter: string | undefined;
  readonly sourceName: string;
  readonly showTime: boolean;
  readonly wrap: boolean;
  readonly ranges: readonly MatchRange[] | undefined;
  readonly isCurrent: boolean;
}

const levelMarks: Readonly<Record<LogLevel, { readonly letter: string; readonly colour: string }>> = {
  error: { letter: "E", colour: "text-degraded" },
  warn: { letter: "W", colour: "text-missing" },
  info: { letter: "I", colour: "text-muted" },
  debug: { letter: "D", colour: "text-faint" },
};

/** One line of a log. */
export const LogRow = memo(function LogRow(props: LogRowProps): ReactNode {
  const { line, letter, sourceName, showTime, wrap } = props;
  if (line.isNote) return <Note line={line} letter={letter} sourceName={sourceName} />;
  const name = levelOf(line.plain);
  const level = name === undefined ? undefined : levelMarks[name];
  return (
    <span className={wrap ? "flex gap-2" : "flex h-full items-center gap-2"}>
      {letter !== undefined && (
        <abbr
          title={sourceName}
          className="w-4 shrink-0 text-center font-semibold no-underline"
          style={{ color: sourceColour(line.source) }}
        >
          {letter}
        </abbr>
      )}
      {showTime && (
        <time className="shrink-0 text-faint" dateTime={isoTime(line)}>
          {isoTime(line).slice(0, 23).replace("T", " ")}
        </time>
      )}
      <span className={`w-3 shrink-0 text-center font-semibold ${level?.colour ?? ""}`} title={name}>
        {level?.letter ?? ""}
      </span>
      <span className={wrap ? "min-w-0 whitespace-pre-wrap wrap-anywhere" : "whitespace-pre"}>
        <LineText {...props} />
      </span>
    </span>
  );
});

function Note({ line, letter, sourceName }: Pick<LogRowProps, "line" | "letter" | "sourceName">): ReactNode {
  const of = letter === undefined ? "" : `${sourceName}: `;
  return (
    <span className="flex h-full items-center gap-2 text-missing">
      <span aria-hidden="true">──</span>
      {of}
      {line.plain}
      <span aria-hidden="true">──</span>
    </span>
  );
}

const noRanges: readonly MatchRange[] = [];

/** What a line of JSON says comes first, and its fields are counted; where something in it was found, it is shown whole. */
function LineText({ line, ranges = noRanges, isCurrent }: LogRowProps): ReactNode {
  const json = ranges.length === 0 ? fieldsOf(line.plain) : undefined;
  if (json?.message !== undefined) {
    return (
      <>
        {cleanText(json.message)}{" "}
        {json.fields.length > 0 && <span className="text-faint">+{json.fields.length} fields</span>}
      </>
    );
  }
  return placedPieces(line.text).map(({ text, style, from }) => {
    const looks = styleOf(style);
    const marked = <Marked key={from} {...{ text, from, ranges, isCurrent }} />;
    return looks === undefined ? (
      marked
    ) : (
      <span key={from} style={looks}>
        {marked}
      </span>
    );
  });
}

/** The pieces of a line, each with the place where it begins. */
function placedPieces(line: string): (AnsiPiece & { readonly from: number })[] {
  let from = 0;
  return ansiPieces(line).map((piece) => {
    const placed = { ...piece, from };
    from += piece.text.length;
    return placed;
  });
}

interface MarkedProps {
  readonly text: string;
  /** Where in its line the text begins. */
  readonly from: number;
  readonly ranges: readonly MatchRange[];
  readonly isCurrent: boolean;
}

function Marked({ text, from, ranges, isCurrent }: MarkedProps): ReactNode {
  let at = from;
  return markRanges(text, from, ranges).map(({ text: part, isMatch }) => {
    const key = at;
    at += part.length;
    if (!isMatch) return part;
    return (
      <mark key={key} className={isCurrent ? "bg-accent text-on-accent" : "bg-missing/35 text-text"}>
        {part}
      </mark>
    );
  });
}

/** React writes it by the object model of styles, which the policy of the page lets pass. */
function styleOf(style: AnsiStyle): CSSProperties | undefined {
  const foreground = style.foreground === undefined ? undefined : `var(--ansi-${style.foreground})`;
  const background =
    style.background === undefined
      ? undefined
      : `color-mix(in srgb, var(--ansi-${style.background}) 20%, transparent)`;
  const looks: CSSProperties = {
    ...(foreground === undefined ? {} : { color: foreground }),
    ...(background === undefined ? {} : { background }),
    ...(style.inverse === true ? { color: "var(--bg)", background: foreground ?? "var(--text)" } : {}),
    ...(style.bold === true ? { fontWeight: 600 } : {}),
    ...(style.dim === true ? { color: "var(--faint)" } : {}),
    ...(style.italic === true ? { fontStyle: "italic" } : {}),
    ...(style.underline === true ? { textDecoration: "underline" } : {}),
  };
  return Object.keys(looks).length === 0 ? undefined : looks;
}

const sourceColours = [4, 5, 6, 2, 3, 1, 13, 12];

/** A colour for each source; they come again after some, so a letter stands beside them. */
export function sourceColour(source: number): string {
  return `var(--ansi-${sourceColours[source % sourceColours.length] ?? 4})`;
}

/** a, b, … z, aa, ab, … */
export function sourceLetter(source: number): string {
  const letter = String.fromCharCode(97 + (source % 26));
  return source < 26 ? letter : `${sourceLetter(Math.floor(source / 26) - 1)}${letter}`;
}

export function isoTime({ time }: LogLine): string {
  const whole = new Date(time.ms).toISOString();
  return `${whole.slice(0, -1)}${String(time.nanos).padStart(6, "0")}Z`;
}
