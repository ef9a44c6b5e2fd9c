import { useEffect, useRef, type RefObject } from "react";

/** Of a form: its first field that is not right takes the focus when the server has said so, wherever one has scrolled. */
export function useFirstProblem(refusal: Error | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusal !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refusal]);
  return form;
}
