import type { Condition } from "@bowline/api";
import type { ReactNode } from "react";

import { useNowMs } from "../live/now.ts";
import { cleanText } from "../text/clean-text.ts";
import { ageOf, formatTime } from "../text/time.ts";
import { HealthMark } from "../ui/health-mark.tsx";
import { conditionHealth, conditionSentence } from "./condition-words.ts";

/** The order in which one thing follows from another. */
const order = ["Ready", "AgentConnected", "Observed", "Provisioned"];

interface ConditionListProps {
  readonly conditions: readonly Condition[];
  /** What each means, as its kind says. */
  readonly meanings: Readonly<Record<string, string>>;
  /** What does not hold has yet to come. */
  readonly isUnderWay?: boolean;
}

/** Conditions in words: what each means, whether it holds, why, and since when. */
export function ConditionList({ conditions: all, meanings, isUnderWay }: ConditionListProps): ReactNode {
  const nowMs = useNowMs();
  const conditions = all.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (conditions.length === 0) return <p className="text-muted">Nobody has looked at it yet.</p>;
  return (
    <ul className="space-y-3">
      {conditions.map((condition) => (
        <li key={condition.type} className="flex gap-2">
          <span className="mt-0.5 self-start">
            <HealthMark health={conditionHealth(condition, isUnderWay)} word={false} />
          </span>
          <div className="min-w-0">
            <p>
              <span className="font-semibold">{cleanText(condition.type, 63)}</span>{" "}
              <span className="text-muted" title={formatTime(Date.parse(condition.lastTransitionTime))}>
                {condition.status === "True" ? "yes" : condition.status === "False" ? "no" : "unknown"}, for{" "}
                {ageOf(condition.lastTransitionTime, nowMs)}
              </span>
            </p>
            <p className="break-words text-muted">
              {cleanText(conditionSentence(condition, meanings), 1_500)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function rankOf({ type }: Condition): number {
  const at = order.indexOf(type);
  return at < 0 ? order.length : at;
}
