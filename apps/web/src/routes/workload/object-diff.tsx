import { isRecord } from "@bowline/core";
import { useMemo, useState, type ReactNode } from "react";
import { stringify } from "yaml";

import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { diffLines, foldSame, type DiffLine } from "../../ui/line-diff.ts";

const contextLines = 3;
/** More lines than this are cut: a browser draws each of them. */
const maxLines = 5_000;

/** An object before and after, as YAML, line by line. */
export function ObjectDiffView({ before, after }: { before: unknown; after: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => diffLines(yamlLines(before), yamlLines(after)), [before, after]);
  const parts = useMemo(
    () => (isWhole ? [{ lines: lines.slice(0, maxLines) }] : foldSame(lines, contextLines)),
    [lines, isWhole],
  );
  return (
    <>
      <div
        className="my-1 overflow-x-auto rounded-sm border border-border font-mono"
        role="group"
        aria-label="Difference"
      >
        {parts.map((part, index) =>
          "folded" in part ? (
            <div key={`fold-${String(index)}`} className="bg-surface px-2 text-muted">
              ⋯ {part.folded} lines are the same
            </div>
          ) : (
            part.lines.map((line, at) => <Line key={`${String(index)}-${String(at)}`} line={line} />)
          ),
        )}
      </div>
      {lines.length > maxLines && isWhole && (
        <p className="text-muted">{lines.length - maxLines} more lines are not shown.</p>
      )}
      <Button look="link" onClick={() => setWhole(!isWhole)}>
        {isWhole ? "Only what differs" : "The whole object"}
      </Button>
    </>
  );
}

const looks: Readonly<
  Record<DiffLine["kind"], { readonly mark: string; readonly look: string; readonly word: string }>
> = {
  same: { mark: " ", look: "", word: "" },
  gone: { mark: "−", look: "bg-degraded/10", word: "removed: " },
  come: { mark: "+", look: "bg-healthy/10", word: "added: " },
};

function Line({ line: { kind, text } }: { line: DiffLine }): ReactNode {
  const { mark, look, word } = looks[kind];
  return (
    <div className={`px-2 whitespace-pre ${look}`}>
      <span aria-hidden="true" className="mr-2 select-none">
        {mark}
      </span>
      {word !== "" && <span className="sr-only">{word}</span>}
      {cleanText(text, 2_000)}
    </div>
  );
}

function yamlLines(value: unknown): string[] {
  if (value === undefined) return [];
  return stringify(inKeyOrder(value), { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd().split("\n");
}

/** The order of keys means nothing, and must not look like a change. */
function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inKeyOrder(item)]));
}
