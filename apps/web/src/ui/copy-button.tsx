import { useEffect, useState, type ReactNode } from "react";

import { Button } from "./button.tsx";

const saidForMs = 2_000;

/** Copies a text, and says so aloud. */
export function CopyButton({ text, what }: { text: string; what: string }): ReactNode {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), saidForMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // A page without TLS has no clipboard, and a reader can refuse it: the text is there to be selected.
      setOutcome("failed");
    }
  };
  return (
    <>
      <Button look="link" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </Button>
      <span role="status">
        {outcome === "copied" ? "Copied" : outcome === "failed" ? "Not copied: select it" : ""}
      </span>
    </>
  );
}
