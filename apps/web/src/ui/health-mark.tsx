import type { ReactNode } from "react";

export const healthNames = ["Healthy", "Progressing", "Degraded", "Missing", "Suspended", "Unknown"] as const;
export type HealthName = (typeof healthNames)[number];

/** Worst first, as lists in trouble are sorted. */
export const healthRank: Readonly<Record<HealthName, number>> = {
  Degraded: 0,
  Missing: 1,
  Unknown: 2,
  Progressing: 3,
  Suspended: 4,
  Healthy: 5,
};

const colours: Readonly<Record<HealthName, string>> = {
  Healthy: "text-healthy",
  Progressing: "text-progressing",
  Degraded: "text-degraded",
  Missing: "text-missing",
  Suspended: "text-suspended",
  Unknown: "text-unknown",
};

const shapes: Readonly<Record<HealthName, ReactNode>> = {
  Healthy: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  Progressing: (
    <>
      <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="2" opacity="0.35" />
      <path d="M8 3a5 5 0 0 1 5 5" fill="none" stroke="currentColor" strokeWidth="2" />
    </>
  ),
  Degraded: (
    <>
      <path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" fill="currentColor" />
      <path d="M8 5v3.6M8 10.4v1" stroke="var(--bg)" strokeWidth="1.6" />
    </>
  ),
  Missing: (
    <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="2.6 2.6" />
  ),
  Suspended: <path d="M5.5 3.5v9M10.5 3.5v9" stroke="currentColor" strokeWidth="2.4" />,
  Unknown: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path
        d="M6.2 6.4a1.9 1.9 0 1 1 2.6 1.8c-.6.3-.8.6-.8 1.3M8 11.2v.6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
      />
    </>
  ),
};

/** Health as shape, colour and word: none of them alone. */
export function HealthMark({ health, word = true }: { health: HealthName; word?: boolean }): ReactNode {
  return (
    <span
      className={`inline-flex gap-1 ${word ? "items-baseline" : "items-center self-center align-middle"} ${colours[health]}`}
    >
      <svg
        viewBox="0 0 16 16"
        className={`size-3.5 shrink-0 self-center ${health === "Progressing" ? "motion-safe:animate-spin" : ""}`}
        aria-hidden="true"
      >
        {shapes[health]}
      </svg>
      <span className={word ? "" : "sr-only"}>{health}</span>
    </span>
  );
}
