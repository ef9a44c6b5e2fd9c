import type { ReactNode } from "react";

interface ProgressBarProps {
  /** Names it for those who cannot see it. */
  readonly label: string;
  readonly max: number;
  readonly value: number;
}

/** How much is done. Without a look of its own, browsers draw it green, which is the colour of what is well. */
export function ProgressBar({ label, max, value }: ProgressBarProps): ReactNode {
  return (
    <progress
      aria-label={label}
      className="h-2 w-full appearance-none overflow-hidden rounded-sm bg-border [&::-moz-progress-bar]:bg-progressing [&::-webkit-progress-bar]:bg-border [&::-webkit-progress-value]:bg-progressing"
      max={max}
      value={value}
    />
  );
}
