import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { nodeParameter } from "../../graph/node-ref.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { cellText, type AnswerCell, type AnswerSection } from "./answer-sections.ts";

export interface AnswerViewProps {
  readonly sections: readonly AnswerSection[];
  readonly at: string | undefined;
}

/** An answer: tables, and sentences where it is a way. */
export function AnswerView({ sections, at }: AnswerViewProps): ReactNode {
  return sections.map((section) => <Section key={section.title} section={section} at={at} />);
}

const rowsAtOnce = 100;

function Section({ section, at }: { section: AnswerSection; at: string | undefined }): ReactNode {
  const { title, columns, rows, sentences = [], none } = section;
  const [shown, setShown] = useState(rowsAtOnce);
  const isEmpty = rows.length === 0 && sentences.length === 0;
  if (isEmpty && none === "") return null;
  return (
    <section aria-label={title} className="px-4 py-2">
      <h2 className="text-lg">
        {cleanText(title, 300)} {rows.length > 0 && <span className="text-xs text-muted">{rows.length}</span>}
      </h2>
      {isEmpty && <p className="text-muted">{none}</p>}
      {sentences.length > 0 && (
        <ol className="mt-1 list-decimal space-y-0.5 pl-6">
          {sentences.map((sentence, index) => (
            // oxlint-disable-next-line no-array-index-key -- two hops may read the same
            <li key={index} className="wrap-anywhere">
              {cleanText(sentence, 1_000)}
            </li>
          ))}
        </ol>
      )}
      {rows.length > 0 && (
        <div className="mt-1 overflow-x-auto">
          <table className="w-full text-left">
            <thead className="text-xs text-muted">
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col" className="pr-3 pb-1 font-semibold whitespace-nowrap">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shown).map((row, index) => (
                // oxlint-disable-next-line no-array-index-key -- rows of an answer do not move
                <tr key={index} className="border-t border-border align-top">
                  {row.map((each, place) => (
                    // oxlint-disable-next-line no-array-index-key -- neither do cells
                    <td key={place} className="max-w-[36rem] py-1 pr-3 wrap-break-word">
                      <Cell of={each} at={at} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {rows.length > shown && (
            <Button look="link" onClick={() => setShown(shown + 10 * rowsAtOnce)}>
              Show {Math.min(rows.length - shown, 10 * rowsAtOnce)} more of {rows.length}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

/** What one can look at leads to the picture of what is around it. */
function Cell({ of, at }: { of: AnswerCell; at: string | undefined }): ReactNode {
  if (typeof of === "string") return <SeverityMark word={of} />;
  const { node } = of;
  const search = {
    focus: nodeParameter(node),
    ...(node.cluster === undefined ? {} : { cluster: node.cluster }),
    ...(at === undefined ? {} : { at }),
  };
  return (
    <Link to="/graph" search={search}>
      {cleanText(cellText(of), 400)}
    </Link>
  );
}

const severityMarks: ReadonlyMap<string, string> = new Map([
  ["critical", "◆◆"],
  ["high", "◆"],
  ["medium", "◇"],
  ["low", "·"],
]);

/** How bad something is, as shape and word. */
function SeverityMark({ word }: { word: string }): ReactNode {
  const mark = severityMarks.get(word);
  if (mark === undefined) return cleanText(word, 1_000);
  return (
    <span className={word === "critical" || word === "high" ? "text-degraded" : "text-missing"}>
      <span aria-hidden="true">{mark} </span>
      {word}
    </span>
  );
}
