import type { ClusterPlan } from "@bowline/api";
import { useEffect, useState } from "react";

/** Longer than a double click, and than it takes to stop a hand that is about to press once more. */
const seenAfterMs = 1_000;

/** Whether a plan has been there for long enough: the button that has asked for it becomes the one that creates. */
export function useSeen(plan: ClusterPlan | undefined): boolean {
  const [seen, setSeen] = useState<ClusterPlan>();
  useEffect(() => {
    if (plan === undefined) return undefined;
    const timer = setTimeout(() => setSeen(plan), seenAfterMs);
    return () => clearTimeout(timer);
  }, [plan]);
  return plan !== undefined && seen === plan;
}
