import { useMemo, type ReactNode } from "react";

import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { setPreferences, themes, usePreferences, type Theme } from "../../ui/preferences.ts";
import { localZone } from "../../text/time.ts";

const themeNames: Readonly<Record<Theme, string>> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
};

/** Kept in this browser; nobody else sees it. */
export function PreferenceForm(): ReactNode {
  const { theme, timeZone, letterKeys } = usePreferences();
  const zones = useMemo(
    () => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")],
    [],
  );
  return (
    <div className="grid max-w-2xl gap-4 sm:grid-cols-2">
      <fieldset>
        <legend className="mb-0.5 font-semibold">Theme</legend>
        {themes.map((name) => (
          <label key={name} className="mr-4 inline-flex min-h-6 items-center gap-1.5">
            <input
              type="radio"
              name="theme"
              checked={theme === name}
              onChange={() => setPreferences({ theme: name })}
            />
            {themeNames[name]}
          </label>
        ))}
      </fieldset>
      <FormField label="Time zone" help="Of all times that are written out.">
        {(ids) => (
          <select
            {...ids}
            className={fieldClass}
            value={timeZone}
            onChange={({ target }) => setPreferences({ timeZone: target.value })}
          >
            <option value={localZone}>That of this browser</option>
            {zones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        )}
      </FormField>
      <div>
        <label className="inline-flex min-h-6 items-center gap-1.5">
          <input
            type="checkbox"
            checked={letterKeys}
            onChange={({ target }) => setPreferences({ letterKeys: target.checked })}
          />
          Single keys do something, such as <kbd className="font-mono">g c</kbd> and{" "}
          <kbd className="font-mono">/</kbd>
        </label>
        <p className="text-xs text-muted">
          <kbd className="font-mono">?</kbd> lists them. Off, keys work only within a list that has the focus.
        </p>
      </div>
    </div>
  );
}
