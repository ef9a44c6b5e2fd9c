import { useEffect, useId, useRef, type ReactNode } from "react";

import { isTyping } from "../../ui/text-field.tsx";
import type { LogSettings } from "./log-settings.ts";

export interface LogToolbarProps {
  readonly settings: LogSettings;
  readonly onSettings: (change: Partial<LogSettings>) => void;
  /** How many lines match, or what is wrong with what was typed. */
  readonly found: string;
  readonly onStep: (step: 1 | -1) => void;
  /** Names of containers to choose from. */
  readonly containers: readonly string[];
  readonly onClear: () => void;
  readonly onDownload: (() => void) | undefined;
}

const sinceChoices = [
  ["", "Last lines"],
  ["5m", "5 minutes"],
  ["1h", "1 hour"],
  ["24h", "1 day"],
] as const;

export function LogToolbar(props: LogToolbarProps): ReactNode {
  const { settings, onSettings, containers, onClear, onDownload } = props;
  const toggle = (name: keyof LogSettings): { isOn: boolean; onToggle: () => void } => ({
    isOn: settings[name] === true,
    onToggle: () => onSettings({ [name]: settings[name] !== true }),
  });
  return (
    <div
      role="toolbar"
      aria-label="Logs"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-border bg-surface px-2 py-1"
    >
      <SearchField {...props} />
      <span className="flex gap-1">
        <Toggle name="Regular expression" text=".*" {...toggle("regex")} />
        <Toggle name="Match case" text="Aa" {...toggle("exact")} />
        <Toggle name="Only matches: hide the other lines" text="Only matches" {...toggle("only")} />
      </span>
      <span className="flex gap-1">
        <Toggle name="Wrap long lines" text="Wrap" {...toggle("wrap")} />
        <Toggle name="Show times" text="Times" {...toggle("times")} />
        <Toggle name="Previous run, before the last restart" text="Previous" {...toggle("previous")} />
      </span>
      {containers.length > 1 && (
        <Choice
          label="Container"
          value={settings.container}
          choices={[["", "All containers"], ...containers.map((name) => [name, name] as const)]}
          onChoose={(container) => onSettings({ container })}
        />
      )}
      <SinceChoice settings={settings} onSettings={onSettings} />
      <span className="ml-auto flex gap-3">
        <button type="button" className="text-accent" onClick={onClear}>
          Clear
        </button>
        {onDownload !== undefined && (
          <button type="button" className="text-accent" onClick={onDownload}>
            Download
          </button>
        )}
      </span>
    </div>
  );
}

function SearchField({ settings, onSettings, found, onStep }: LogToolbarProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || isTyping(event.target) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <span className="flex items-center gap-1">
      <label htmlFor={id} className="sr-only">
        Search the lines
      </label>
      <input
        ref={field}
        id={id}
        type="search"
        value={settings.q}
        placeholder="Search ( / )"
        className="w-52 rounded-sm border border-control bg-bg px-2 py-0.5"
        onChange={(event) => onSettings({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            // Browsers would empty the field.
            event.preventDefault();
            field.current?.blur();
          }
          if (event.key !== "Enter") return;
          event.preventDefault();
          onStep(event.shiftKey ? 1 : -1);
        }}
      />
      {settings.q !== "" && (
        <>
          <StepButton name="The match before" text="↑" onClick={() => onStep(-1)} />
          <StepButton name="The next match" text="↓" onClick={() => onStep(1)} />
          <output className="min-w-16 text-xs text-muted">{found}</output>
        </>
      )}
    </span>
  );
}

function StepButton({ name, text, onClick }: { name: string; text: string; onClick: () => void }): ReactNode {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      className="size-6 rounded-sm border border-control"
      onClick={onClick}
    >
      {text}
    </button>
  );
}

interface ToggleProps {
  readonly name: string;
  readonly text: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

function Toggle({ name, text, isOn, onToggle }: ToggleProps): ReactNode {
  const looks = isOn ? "border-accent bg-accent text-on-accent" : "border-control";
  return (
    <button
      type="button"
      aria-pressed={isOn}
      // Words are their own name; signs are not.
      aria-label={/^\w{3}/u.test(text) ? undefined : name}
      title={name}
      className={`min-h-6 rounded-sm border px-1.5 text-xs ${looks}`}
      onClick={onToggle}
    >
      {text}
    </button>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, choices, onChoose }: ChoiceProps): ReactNode {
  return (
    <select
      aria-label={label}
      value={value}
      className="min-h-6 rounded-sm border border-control bg-bg px-1 text-xs"
      onChange={(event) => onChoose(event.target.value)}
    >
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

const otherTime = "time";

/** Some times that are usual, or one to the minute. */
function SinceChoice({ settings, onSettings }: Pick<LogToolbarProps, "settings" | "onSettings">): ReactNode {
  const { since } = settings;
  const isUsual = sinceChoices.some(([value]) => value === since);
  const timeMs = Date.parse(since);
  return (
    <>
      <Choice
        label="Since"
        value={isUsual ? since : otherTime}
        choices={[...sinceChoices, [otherTime, isUsual ? "Since a time…" : "Since"]]}
        onChoose={(value) =>
          onSettings({ since: value === otherTime ? new Date(Date.now() - 600_000).toISOString() : value })
        }
      />
      {!isUsual && !Number.isNaN(timeMs) && (
        <input
          type="datetime-local"
          aria-label="Since this time (UTC)"
          value={new Date(timeMs).toISOString().slice(0, 16)}
          className="min-h-6 rounded-sm border border-control bg-bg px-1 text-xs"
          onChange={(event) => {
            if (event.target.value !== "") onSettings({ since: `${event.target.value}:00.000Z` });
          }}
        />
      )}
    </>
  );
}
