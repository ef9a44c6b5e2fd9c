import type { ReactNode } from "react";

import { useNowMs } from "../live/now.ts";
import { ageOf, formatTime } from "../text/time.ts";
import { usePreferences } from "./preferences.ts";

/** How long ago something was; the moment itself on hover. */
export function Age({ at }: { at: string | undefined }): ReactNode {
  const nowMs = useNowMs();
  const { timeZone } = usePreferences();
  if (at === undefined) return "–";
  return (
    <time dateTime={at} title={formatTime(Date.parse(at), timeZone)}>
      {ageOf(at, nowMs)}
    </time>
  );
}
