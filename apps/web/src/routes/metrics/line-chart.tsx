import { useEffect, useRef, type ReactNode } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import type { Chart } from "../../kube/prometheus.ts";

const heightPx = 260;
/** Names of the theme's colours; canvas knows no classes. The table below the chart has the same order. */
const colours = ["--accent", "--healthy", "--missing", "--unknown", "--degraded", "--suspended"];
/** Beyond the first round of colours lines differ by their dashes. */
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

/** Lines over time. Those who cannot see them have the table below. */
export function LineChart({ chart }: { chart: Chart }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let plot = draw(element, chart);
    const resizing = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    resizing.observe(element);
    // Colours are drawn once; with another theme all of it is drawn anew.
    const redraw = (): void => {
      plot.destroy();
      plot = draw(element, chart);
    };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    const theming = new MutationObserver(redraw);
    theming.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      resizing.disconnect();
      theming.disconnect();
      dark.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [chart]);
  const { length } = chart.series;
  return (
    <div
      ref={frame}
      role="img"
      aria-label={`A chart with ${length} ${length === 1 ? "line" : "lines"}; the table below has its numbers.`}
      className="w-full min-w-0 overflow-hidden"
    />
  );
}

function draw(element: HTMLElement, { times, series }: Chart): UPlot {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--muted"),
    grid: { stroke: colour("--border"), width: 1 },
    ticks: { stroke: colour("--border"), width: 1 },
  };
  const options: UPlot.Options = {
    width: Math.max(200, element.clientWidth),
    height: heightPx,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    axes: [axis, { ...axis, size: 64, values: (_, splits) => splits.map((value) => compact.format(value)) }],
    series: [
      {},
      ...series.map(({ name }, index): UPlot.Series => ({
        label: name,
        stroke: colour(colours[index % colours.length] ?? "--accent"),
        width: 1.5,
        dash: dashes[Math.floor(index / colours.length) % dashes.length] ?? [],
        points: { show: false },
      })),
    ],
  };
  return new UPlot(options, [[...times], ...series.map(({ values }) => [...values])], element);
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
