import type { ReactNode } from "react";

import type { Chart, ChartSeries } from "../../kube/prometheus.ts";
import { cleanText } from "../../text/clean-text.ts";

/** What a chart shows, as numbers. */
export interface SeriesSummary {
  readonly last: number | undefined;
  readonly lowest: number | undefined;
  readonly highest: number | undefined;
  readonly mean: number | undefined;
}

export function summarize({ values }: Pick<ChartSeries, "values">): SeriesSummary {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0)
    return { last: undefined, lowest: undefined, highest: undefined, mean: undefined };
  return {
    last: numbers.at(-1),
    lowest: numbers.reduce((a, b) => Math.min(a, b)),
    highest: numbers.reduce((a, b) => Math.max(a, b)),
    mean: numbers.reduce((a, b) => a + b, 0) / numbers.length,
  };
}

const format = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

function numberText(value: number | undefined): string {
  return value === undefined ? "–" : format.format(value);
}

/** The twin of a chart: for those who cannot see it, and for those who want the number. */
export function ChartTable({ chart }: { chart: Chart }): ReactNode {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <caption className="sr-only">The lines of the chart as numbers</caption>
        <thead>
          <tr className="text-xs text-muted">
            <th className="py-1 pr-3 font-semibold">Line</th>
            {["Last", "Lowest", "Highest", "Mean"].map((header) => (
              <th key={header} className="py-1 pr-3 text-right font-semibold">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chart.series.map((series, index) => {
            const { last, lowest, highest, mean } = summarize(series);
            return (
              <tr key={`${series.name} ${String(index)}`} className="border-t border-border">
                <td className="py-1 pr-3 font-mono wrap-anywhere">
                  <svg
                    viewBox="0 0 16 4"
                    className={`mr-2 inline-block h-1 w-4 ${lineColour(index)}`}
                    aria-hidden="true"
                  >
                    <rect width="16" height="4" fill="currentColor" />
                  </svg>
                  {cleanText(series.name, 200)}
                </td>
                {[last, lowest, highest, mean].map((value, at) => (
                  <td key={["last", "lowest", "highest", "mean"][at]} className="py-1 pr-3 text-right">
                    {numberText(value)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const colours = [
  "text-accent",
  "text-healthy",
  "text-missing",
  "text-unknown",
  "text-degraded",
  "text-suspended",
];

/** As in the chart. */
function lineColour(index: number): string {
  return colours[index % colours.length] ?? "";
}
